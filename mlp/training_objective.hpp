// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "../core/thread_pool.hpp"
#include "../core/types.hpp"
#include "../optim/objective.hpp"
#include "backend.hpp"
#include "topology.hpp"

namespace mlp {

/// What the objective of a network is made of: f(w) = sum over the instances of
/// their weight times their loss, and its gradient.
///
/// The instances are cut into leaves whose bounds depend on the data alone, each
/// leaf is summed by one thread, and the leaves are added in a fixed tree: the
/// result has the same bits for every number of threads. Very wide networks have
/// no leaves where the backend shares one gradient among the threads.
class TrainingObjective {
 public:
  /// \param instances    must outlive this object
  /// \param num_threads  at most as many as there are leaves are started
  /// \param is_stopping  where it turns true an evaluation throws Interrupted;
  ///                     may be null
  /// \param precision    what backend evaluates in; sums of leaves are double
  TrainingObjective(const Topology& topology, const Backend& backend,
                    const InstanceRange& instances, int num_threads,
                    const std::atomic<bool>* is_stopping = nullptr,
                    Precision precision = Precision::kFloat64)
      : topology_(topology),
        instances_(instances),
        evaluator_(backend.make_evaluator(topology, precision)),
        num_leaves_(evaluator_->shares_gradient()
                        ? 1
                        : count_leaves(instances.size, topology.num_weights())),
        pool_(static_cast<int>(std::min<Index>(num_threads, max_threads()))),
        is_stopping_(is_stopping) {
    evaluator_->bind(instances);
    if (evaluator_->shares_gradient()) return;
    for (int i = 0; i < pool_.num_threads(); ++i) {
      workspaces_.push_back(evaluator_->make_workspace());
    }
    losses_.resize(static_cast<std::size_t>(num_leaves_));
    leaf_gradients_.resize(topology.num_weights(), num_leaves_ - 1);
  }

  /// \param      weights   [topology.num_weights()]
  /// \param[out] gradient  [topology.num_weights()]
  /// \return f(weights), in nats
  /// \throws optim::Interrupted where the caller asked to stop
  /// \cost   2 num_instances (3 S - n0 n1) flops, S = sum of products of
  ///         adjacent layer sizes; no allocation
  double value_and_gradient(const Vector& weights, Vector& gradient) {
    if (evaluator_->shares_gradient()) {
      return evaluator_->compute_shared_gradient(
          weights.data(), gradient.data(), pool_, [this] { poll(); });
    }
    evaluator_->set_weights(weights.data());
    pool_.parallel_for(num_leaves_, [&](Index leaf, int thread) {
      poll();
      evaluate_leaf(leaf, thread, gradient);
    });
    return add_leaves(gradient);
  }

  [[nodiscard]] Index num_leaves() const { return num_leaves_; }

  /// How many leaves a data set is cut into: one per 1,024 instances, fewer
  /// where their gradients would not fit into 256 MiB. Threads beyond it idle.
  [[nodiscard]] static Index count_leaves(Index num_instances,
                                          Index num_weights) {
    const Index by_size = (num_instances + kLeafSize - 1) / kLeafSize;
    const Index by_memory = std::max<Index>(2, kMaxLeafNumbers / num_weights);
    return std::clamp<Index>(by_size, 1, std::min(kMaxLeaves, by_memory));
  }

 private:
  /// Where leaf i begins: leaves differ by at most one unit of slices.
  [[nodiscard]] Index leaf_begin(Index leaf) const {
    constexpr Index kUnit = Evaluator::kSliceUnit;
    const Index num_units = (instances_.size + kUnit - 1) / kUnit;
    const Index quotient = num_units / num_leaves_;
    const Index remainder = num_units % num_leaves_;
    const Index units = leaf * quotient + std::min(leaf, remainder);
    return std::min(instances_.size, kUnit * units);
  }

  /// Threads that find work.
  [[nodiscard]] Index max_threads() const {
    return evaluator_->shares_gradient()
               ? (instances_.size + kMinSharedSize - 1) / kMinSharedSize
               : num_leaves_;
  }

  void poll() const {
    if (is_stopping_ && *is_stopping_) throw optim::Interrupted();
  }

  void evaluate_leaf(Index leaf, int thread, Vector& gradient) {
    const Index first = leaf_begin(leaf);
    const InstanceRange range =
        instances_.slice(first, leaf_begin(leaf + 1) - first,
                         topology_.num_features(), topology_.num_classes());
    double* sum = leaf_gradient(leaf, gradient);
    std::fill(sum, sum + topology_.num_weights(), 0.0);
    losses_[static_cast<std::size_t>(leaf)] = evaluator_->add_gradient(
        range, sum, *workspaces_[static_cast<std::size_t>(thread)]);
  }

  /// The first leaf sums straight into the result.
  double* leaf_gradient(Index leaf, Vector& gradient) {
    return leaf == 0 ? gradient.data() : leaf_gradients_.col(leaf - 1).data();
  }

  /// Adds neighbours, then neighbouring pairs, and so on: the tree depends on
  /// num_leaves() alone. Each thread owns a range of the elements.
  double add_leaves(Vector& gradient) {
    for (Index width = 1; width < num_leaves_; width *= 2) {
      for (Index i = 0; i + width < num_leaves_; i += 2 * width) {
        losses_[static_cast<std::size_t>(i)] +=
            losses_[static_cast<std::size_t>(i + width)];
      }
    }
    if (num_leaves_ == 1) return losses_[0];
    const Index num_weights = topology_.num_weights();
    const Index num_ranges = (num_weights + kRangeSize - 1) / kRangeSize;
    pool_.parallel_for(num_ranges, [&](Index range, int) {
      const Index first = range * kRangeSize;
      const Index size = std::min(kRangeSize, num_weights - first);
      for (Index width = 1; width < num_leaves_; width *= 2) {
        for (Index i = 0; i + width < num_leaves_; i += 2 * width) {
          Eigen::Map<Vector>(leaf_gradient(i, gradient) + first, size) +=
              Eigen::Map<const Vector>(
                  leaf_gradient(i + width, gradient) + first, size);
        }
      }
    });
    return losses_[0];
  }

  static constexpr Index kLeafSize = 1024;
  static constexpr Index kMaxLeaves = 64;
  static constexpr Index kMaxLeafNumbers = Index{1} << 25;
  static constexpr Index kRangeSize = 2048;
  static constexpr Index kMinSharedSize = 64;

  Topology topology_;
  InstanceRange instances_;
  std::unique_ptr<Evaluator> evaluator_;
  Index num_leaves_;
  ThreadPool pool_;
  const std::atomic<bool>* is_stopping_;
  std::vector<std::unique_ptr<Evaluator::Workspace>> workspaces_;
  std::vector<double> losses_;  // [num_leaves]
  Matrix leaf_gradients_;       // [num_weights x num_leaves - 1]
};

static_assert(optim::Objective<TrainingObjective>);

}  // namespace mlp
