// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../../optim/objective.hpp"
#include "../backend/apply_loss.hpp"
#include "../backend/backend.hpp"
#include "../network/batch_norm.hpp"
#include "../network/topology.hpp"

namespace mlp {

/// Computes the mean loss of a network over instances as in scoring, in double
/// precision: batch normalisation by running statistics, no dropout, no penalty on
/// the weights.
class ValidationLoss {
 public:
  /// \param instances    must outlive this object; weights may be null, for 1
  ///                     each
  /// \param pool         must outlive this object; never changes the result
  /// \param is_stopping  when it becomes true, compute() throws Interrupted; may
  ///                     be null
  ValidationLoss(Topology topology, const Backend& backend,
                 const InstanceRange& instances, ThreadPool& pool,
                 const std::atomic<bool>* is_stopping = nullptr)
      : topology_(std::move(topology)),
        backend_(backend),
        instances_(instances),
        pool_(pool),
        is_stopping_(is_stopping) {}

  /// \param weights     [topology.num_weights()]
  /// \param statistics  [topology.num_statistics()]
  /// \return sum of w l / sum of w, in nats
  /// \throws optim::Interrupted if the caller asked to stop
  [[nodiscard]] double compute(const Vector& weights,
                               const Vector& statistics) const {
    return mean(weights, statistics,
                [this](const InstanceRange& slice, Index i, double weight,
                       auto&& output) {
                  return apply_loss(topology_.loss_function(),
                                    Likelihood::kLogSumExp, slice, i, weight,
                                    output);
                });
  }

  /// Computes the share of the instances, by their weights, whose largest output is
  /// that of their class.
  ///
  /// \pre    the network has classes
  /// \throws optim::Interrupted if the caller asked to stop
  [[nodiscard]] double accuracy(const Vector& weights,
                                const Vector& statistics) const {
    return mean(
        weights, statistics,
        [](const InstanceRange& slice, Index i, double weight, auto&& output) {
          Index predicted = 0;
          output.maxCoeff(&predicted);
          return predicted == slice.labels[i] ? weight : 0.0;
        });
  }

 private:
  void poll() const {
    if (is_stopping_ && *is_stopping_) throw optim::Interrupted();
  }

  /// Computes the mean of a number over the instances.
  ///
  /// \param weighted  weighted(part, i, weight, output) is weight times the number
  template <typename Weighted>
  [[nodiscard]] double mean(const Vector& weights, const Vector& statistics,
                            const Weighted& weighted) const {
    const ScoringNetwork network =
        fold_for_scoring(topology_, weights, statistics);
    const auto plan = backend_.make_plan(
        network.topology, network.weights.data(), Precision::kFloat64);
    const Index size = slice_size();
    std::vector<double> sums(
        static_cast<std::size_t>((instances_.size + size - 1) / size));
    pool_.parallel_for(static_cast<Index>(sums.size()), [&](Index i, int) {
      poll();
      sums[static_cast<std::size_t>(i)] =
          sum_slice(*plan, i * size, std::min(size, instances_.size - i * size),
                    weighted);
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0) /
           instances_.weight_sum();
  }

  template <typename Weighted>
  [[nodiscard]] double sum_slice(const ScoringPlan& plan, Index first,
                                 Index size, const Weighted& weighted) const {
    const Index num_features = topology_.num_features();
    const InstanceRange slice =
        instances_.slice(first, size, num_features, topology_.num_classes());
    Matrix buffer;
    const auto features = slice.rows(0, size, num_features, buffer);
    Matrix output(topology_.num_classes(), size);
    plan.compute_raw(features.data(), size, output.data());
    double sum = 0.0;
    for (Index i = 0; i < size; ++i) {
      sum += weighted(slice, i, slice.weight(i), output.col(i));
    }
    return sum;
  }

  /// Returns the instances that are computed between two requests to stop: fewer for
  /// large networks. It depends on the network only, as the order of the sum does.
  [[nodiscard]] Index slice_size() const {
    constexpr Index kMaxSize = 1024;
    constexpr Index kMinSize = 64;
    constexpr Index kProducts = Index{1} << 31;
    return std::clamp(kProducts / topology_.num_weights(), kMinSize, kMaxSize);
  }

  Topology topology_;
  const Backend& backend_;
  InstanceRange instances_;
  ThreadPool& pool_;
  const std::atomic<bool>* is_stopping_;
};

}  // namespace mlp
