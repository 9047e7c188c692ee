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
#include "../instances/slices.hpp"
#include "../network/topology.hpp"

namespace mlp {

/// The objective over the instances of one rank: f(w) = sum over the instances of
/// their weight times their loss, and its gradient.
///
/// The instances are cut into slices whose bounds depend only on the data, each
/// slice is summed by one thread, and the slices are added in a fixed tree: the
/// result has the same bits for every number of threads. If the backend shares
/// one gradient among the threads, as for very large networks, there is one
/// slice.
class TrainingObjective {
 public:
  /// \param instances  must outlive this object
  /// \param execution  copied; is_stopping makes an evaluation throw Interrupted. No
  ///                   more threads are started than there are slices. Sums of
  ///                   slices are double in any precision
  /// \param slices     of these instances; by default Slices::count() of them
  TrainingObjective(const Topology& topology, const InstanceRange& instances,
                    const Execution& execution,
                    const std::optional<Slices>& slices = std::nullopt)
      : topology_(topology),
        instances_(instances),
        is_shared_(execution.backend->shares_gradient(topology)),
        slices_(slices ? *slices : make_slices()),
        pool_(static_cast<int>(
            std::min<Index>(execution.num_threads, max_threads()))),
        is_stopping_(execution.is_stopping),
        evaluator_(execution.backend->make_gradient_evaluator(
            topology, execution.precision)) {
    instances_.first = 0;  // a slice is bound as a whole
    std::visit([&](auto& evaluator) { evaluator->bind(instances_); },
               evaluator_);
    if (instances_.may_replace_rows()) {
      instances_.features = instances_.store->rows();
    }
    losses_.resize(static_cast<std::size_t>(num_slices()));
    // Aligned alike, because a library may add in another order elsewhere.
    const Index rows = (topology.num_weights() + kLine - 1) / kLine * kLine;
    slice_gradients_.resize(rows, std::max<Index>(num_slices() - 1, 0));
    if (is_shared_) return;
    for (int i = 0; i < pool_.num_threads(); ++i) {
      workspaces_.push_back(evaluator().make_workspace());
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
    evaluate_slices(weights, gradient);
    return add_slices(gradient);
  }

  /// Computes the sums of each slice, without adding them.
  ///
  /// \param[out] gradient  of the first slice   [topology.num_weights()]
  void evaluate_slices(const double* weights, double* gradient) {
    if (is_shared_) {
      auto& shared = *std::get<std::unique_ptr<SharedEvaluator>>(evaluator_);
      losses_.assign(1, shared.compute_gradient(weights, gradient, pool_,
                                                [this] { poll(); }));
      return;
    }
    evaluator().set_weights(weights);
    pool_.parallel_for(num_slices(), [&](Index slice, int thread) {
      poll();
      evaluate_slice(slice, thread, gradient);
      poll();  // the evaluator may have stopped within the slice
    });
  }

  /// The gradient of one slice after evaluate_slices()   [topology.num_weights()]
  ///
  /// \param gradient  that evaluate_slices() wrote
  [[nodiscard]] const double* slice_gradient(Index slice,
                                             const double* gradient) const {
    return slice == 0 ? gradient : slice_gradients_.col(slice - 1).data();
  }

  /// The objective of one slice after evaluate_slices().
  [[nodiscard]] double slice_objective(Index slice) const {
    return losses_[static_cast<std::size_t>(slice)];
  }

  [[nodiscard]] Index num_slices() const { return slices_.size(); }

  /// The threads that evaluate, for work on the gradients of slices.
  [[nodiscard]] ThreadPool& pool() { return pool_; }

 private:
  /// One slice if the backend shares one gradient among the threads.
  [[nodiscard]] Slices make_slices() const {
    return {instances_.size,
            is_shared_
                ? 1
                : Slices::count(instances_.size, topology_.num_weights())};
  }

  /// How many threads have work.
  [[nodiscard]] Index max_threads() const {
    return is_shared_ ? (instances_.size + kMinSharedSize - 1) / kMinSharedSize
                      : num_slices();
  }

  /// \pre the threads do not share one gradient
  [[nodiscard]] SliceEvaluator& evaluator() const {
    return *std::get<std::unique_ptr<SliceEvaluator>>(evaluator_);
  }

  void poll() const {
    if (is_stopping_ && *is_stopping_) throw optim::Interrupted();
  }

  void evaluate_slice(Index slice, int thread, double* gradient) {
    const Index first = slices_.begin(slice);
    const InstanceRange range =
        instances_.slice(first, slices_.begin(slice + 1) - first,
                         topology_.num_features(), topology_.num_classes());
    losses_[static_cast<std::size_t>(slice)] = evaluator().compute_gradient(
        range, slice_sum(slice, gradient),
        *workspaces_[static_cast<std::size_t>(thread)]);
  }

  /// The first slice sums straight into the result.
  double* slice_sum(Index slice, double* gradient) {
    return slice == 0 ? gradient : slice_gradients_.col(slice - 1).data();
  }

  /// Adds neighbours, then neighbouring pairs, and so on: the tree depends only
  /// on num_slices(). Each thread owns a range of the elements.
  double add_slices(double* gradient) {
    for (Index width = 1; width < num_slices(); width *= 2) {
      for (Index i = 0; i + width < num_slices(); i += 2 * width) {
        losses_[static_cast<std::size_t>(i)] +=
            losses_[static_cast<std::size_t>(i + width)];
      }
    }
    if (num_slices() == 1) return losses_[0];
    const Index num_weights = topology_.num_weights();
    const Index num_ranges = (num_weights + kRangeSize - 1) / kRangeSize;
    pool_.parallel_for(num_ranges, [&](Index range, int) {
      const Index first = range * kRangeSize;
      const Index size = std::min(kRangeSize, num_weights - first);
      for (Index width = 1; width < num_slices(); width *= 2) {
        for (Index i = 0; i + width < num_slices(); i += 2 * width) {
          Eigen::Map<Vector>(slice_sum(i, gradient) + first, size) +=
              Eigen::Map<const Vector>(slice_sum(i + width, gradient) + first,
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
  Slices slices_;
  ThreadPool pool_;
  const std::atomic<bool>* is_stopping_;
  GradientEvaluator evaluator_;
  std::vector<std::unique_ptr<SliceEvaluator::Workspace>> workspaces_;
  std::vector<double> losses_;  // [num_slices]
  Matrix slice_gradients_;      // [num_weights, padded x num_slices - 1]
};

static_assert(optim::Objective<TrainingObjective>);

}  // namespace mlp
