// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../../optim/objective.hpp"
#include "../backend/execution.hpp"
#include "../backend/gradient_evaluator.hpp"
#include "../instances/leaves.hpp"
#include "../network/topology.hpp"

namespace mlp {

/// The objective over the instances of one rank: f(w) = sum over the instances of
/// their weight times their loss, and its gradient.
///
/// The instances are cut into leaves whose bounds depend only on the data, each
/// leaf is summed by one thread, and the leaves are added in a fixed tree: the
/// result has the same bits for every number of threads. If the backend shares
/// one gradient among the threads, as for very large networks, there is one
/// leaf.
class TrainingObjective {
 public:
  /// \param instances  must outlive this object
  /// \param execution  copied; is_stopping makes an evaluation throw Interrupted. No
  ///                   more threads are started than there are leaves. Sums of
  ///                   leaves are double in any precision
  /// \param leaves     of these instances; by default Leaves::count() of them
  TrainingObjective(const Topology& topology, const InstanceRange& instances,
                    const Execution& execution,
                    const std::optional<Leaves>& leaves = std::nullopt)
      : topology_(topology),
        instances_(instances),
        is_shared_(execution.backend->shares_gradient(topology)),
        leaves_(leaves ? *leaves : make_leaves()),
        pool_(static_cast<int>(
            std::min<Index>(execution.num_threads, max_threads()))),
        is_stopping_(execution.is_stopping),
        evaluator_(execution.backend->make_gradient_evaluator(
            topology, execution.precision)) {
    instances_.first = 0;  // a slice is bound as a whole
    std::visit([&](auto& evaluator) { evaluator->bind(instances_); },
               evaluator_);
    if (instances_.store) instances_.features = instances_.store->rows();
    losses_.resize(static_cast<std::size_t>(num_leaves()));
    // Aligned alike, because a library may add in another order elsewhere.
    const Index rows = (topology.num_weights() + kLine - 1) / kLine * kLine;
    leaf_gradients_.resize(rows, std::max<Index>(num_leaves() - 1, 0));
    if (is_shared_) return;
    for (int i = 0; i < pool_.num_threads(); ++i) {
      workspaces_.push_back(slices().make_workspace());
      workspaces_.back()->set_stop_flag(is_stopping_);
    }
  }

  /// \param      weights   [topology.num_weights()]
  /// \param[out] gradient  [topology.num_weights()]
  /// \return f(weights), in nats
  /// \throws optim::Interrupted if the caller asked to stop
  /// \cost   2 num_instances (3 S - n0 n1) flops, S = sum of products of
  ///         adjacent layer sizes; no allocation
  double value_and_gradient(const Vector& weights, Vector& gradient) {
    return value_and_gradient(weights.data(), gradient.data());
  }

  double value_and_gradient(const double* weights, double* gradient) {
    evaluate_leaves(weights, gradient);
    return add_leaves(gradient);
  }

  /// Computes the sums of each leaf, without adding them.
  ///
  /// \param[out] gradient  of the first leaf   [topology.num_weights()]
  void evaluate_leaves(const double* weights, double* gradient) {
    if (is_shared_) {
      auto& shared = *std::get<std::unique_ptr<SharedEvaluator>>(evaluator_);
      losses_.assign(1, shared.compute_gradient(weights, gradient, pool_,
                                                [this] { poll(); }));
      return;
    }
    slices().set_weights(weights);
    pool_.parallel_for(num_leaves(), [&](Index leaf, int thread) {
      poll();
      evaluate_leaf(leaf, thread, gradient);
      poll();  // the evaluator may have stopped within the leaf
    });
  }

  /// The gradient of one leaf after evaluate_leaves()   [topology.num_weights()]
  ///
  /// \param gradient  that evaluate_leaves() wrote
  [[nodiscard]] const double* leaf_gradient(Index leaf,
                                            const double* gradient) const {
    return leaf == 0 ? gradient : leaf_gradients_.col(leaf - 1).data();
  }

  /// The objective of one leaf after evaluate_leaves().
  [[nodiscard]] double leaf_objective(Index leaf) const {
    return losses_[static_cast<std::size_t>(leaf)];
  }

  [[nodiscard]] Index num_leaves() const { return leaves_.size(); }

  /// The threads that evaluate, for work on the gradients of leaves.
  [[nodiscard]] ThreadPool& pool() { return pool_; }

 private:
  /// One leaf if the backend shares one gradient among the threads.
  [[nodiscard]] Leaves make_leaves() const {
    return {instances_.size,
            is_shared_
                ? 1
                : Leaves::count(instances_.size, topology_.num_weights())};
  }

  /// How many threads have work.
  [[nodiscard]] Index max_threads() const {
    return is_shared_ ? (instances_.size + kMinSharedSize - 1) / kMinSharedSize
                      : num_leaves();
  }

  /// \pre the threads do not share one gradient
  [[nodiscard]] SliceEvaluator& slices() const {
    return *std::get<std::unique_ptr<SliceEvaluator>>(evaluator_);
  }

  void poll() const {
    if (is_stopping_ && *is_stopping_) throw optim::Interrupted();
  }

  void evaluate_leaf(Index leaf, int thread, double* gradient) {
    const Index first = leaves_.begin(leaf);
    const InstanceRange range =
        instances_.slice(first, leaves_.begin(leaf + 1) - first,
                         topology_.num_features(), topology_.num_classes());
    losses_[static_cast<std::size_t>(leaf)] = slices().compute_gradient(
        range, leaf_sum(leaf, gradient),
        *workspaces_[static_cast<std::size_t>(thread)]);
  }

  /// The first leaf sums straight into the result.
  double* leaf_sum(Index leaf, double* gradient) {
    return leaf == 0 ? gradient : leaf_gradients_.col(leaf - 1).data();
  }

  /// Adds neighbours, then neighbouring pairs, and so on: the tree depends only
  /// on num_leaves(). Each thread owns a range of the elements.
  double add_leaves(double* gradient) {
    for (Index width = 1; width < num_leaves(); width *= 2) {
      for (Index i = 0; i + width < num_leaves(); i += 2 * width) {
        losses_[static_cast<std::size_t>(i)] +=
            losses_[static_cast<std::size_t>(i + width)];
      }
    }
    if (num_leaves() == 1) return losses_[0];
    const Index num_weights = topology_.num_weights();
    const Index num_ranges = (num_weights + kRangeSize - 1) / kRangeSize;
    pool_.parallel_for(num_ranges, [&](Index range, int) {
      const Index first = range * kRangeSize;
      const Index size = std::min(kRangeSize, num_weights - first);
      for (Index width = 1; width < num_leaves(); width *= 2) {
        for (Index i = 0; i + width < num_leaves(); i += 2 * width) {
          Eigen::Map<Vector>(leaf_sum(i, gradient) + first, size) +=
              Eigen::Map<const Vector>(leaf_sum(i + width, gradient) + first,
                                       size);
        }
      }
    });
    return losses_[0];
  }

  static constexpr Index kRangeSize = 2048;
  static constexpr Index kLine = 8;  ///< numbers of 64 bytes
  static constexpr Index kMinSharedSize = 64;

  Topology topology_;
  InstanceRange instances_;
  bool is_shared_;  // one gradient among all threads
  Leaves leaves_;
  ThreadPool pool_;
  const std::atomic<bool>* is_stopping_;
  GradientEvaluator evaluator_;
  std::vector<std::unique_ptr<SliceEvaluator::Workspace>> workspaces_;
  std::vector<double> losses_;  // [num_leaves]
  Matrix leaf_gradients_;       // [num_weights, padded x num_leaves - 1]
};

static_assert(optim::Objective<TrainingObjective>);

}  // namespace mlp
