// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
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
                               const Vector& statistics) {
    return mean(weights, statistics,
                [this](const InstanceRange& part, Index i, double weight,
                       auto&& output) {
                  return apply_loss(topology_.loss_function(),
                                    Likelihood::kLogSumExp, part, i, weight,
                                    output);
                });
  }

  /// Computes the share of the instances, by their weights, whose largest output is
  /// that of their class.
  ///
  /// \pre    the network has classes
  /// \throws optim::Interrupted if the caller asked to stop
  [[nodiscard]] double accuracy(const Vector& weights,
                                const Vector& statistics) {
    return mean(
        weights, statistics,
        [](const InstanceRange& part, Index i, double weight, auto&& output) {
          Index predicted = 0;
          output.maxCoeff(&predicted);
          return predicted == part.labels[i] ? weight : 0.0;
        });
  }

 private:
  static constexpr Index kPartSize = 1024;

  void poll() const {
    if (is_stopping_ && *is_stopping_) throw optim::Interrupted();
  }

  /// Computes the mean of a number over the instances.
  ///
  /// \param weighted  weighted(part, i, weight, output) is weight times the number
  template <typename Weighted>
  [[nodiscard]] double mean(const Vector& weights, const Vector& statistics,
                            const Weighted& weighted) {
    const ScoringNetwork network =
        fold_for_scoring(topology_, weights, statistics);
    if (!evaluator_) {
      evaluator_ = backend_.make_evaluator(network.topology);
    }
    evaluator_->set_weights(network.weights.data());
    const Index num_parts = (instances_.size + kPartSize - 1) / kPartSize;
    sums_.assign(static_cast<std::size_t>(num_parts), 0.0);
    while (static_cast<int>(workspaces_.size()) < pool_.num_threads()) {
      workspaces_.push_back(evaluator_->make_workspace());
      workspaces_.back()->set_stop_flag(is_stopping_);
    }
    pool_.parallel_for(num_parts, [&](Index part, int thread) {
      poll();
      sums_[static_cast<std::size_t>(part)] =
          sum_part(part * kPartSize, weighted,
                   *workspaces_[static_cast<std::size_t>(thread)]);
    });
    poll();  // the evaluator may have stopped within the last parts
    double sum = 0.0;
    for (const double part : sums_) sum += part;
    return sum / instances_.weight_sum();
  }

  template <typename Weighted>
  [[nodiscard]] double sum_part(Index first, const Weighted& weighted,
                                Evaluator::Workspace& workspace) {
    const Index outputs = topology_.num_classes();
    const InstanceRange part =
        instances_.slice(first, std::min(kPartSize, instances_.size - first),
                         topology_.num_features(), outputs);
    Matrix output(outputs, part.size);
    evaluator_->compute_output(part, topology_.num_layers() - 1, output.data(),
                               workspace);
    double sum = 0.0;
    for (Index i = 0; i < part.size; ++i) {
      sum += weighted(part, i, instances_.weight(first + i), output.col(i));
    }
    return sum;
  }

  Topology topology_;
  const Backend& backend_;
  InstanceRange instances_;
  ThreadPool& pool_;
  const std::atomic<bool>* is_stopping_;
  std::unique_ptr<Evaluator> evaluator_;
  std::vector<std::unique_ptr<Evaluator::Workspace>> workspaces_;
  std::vector<double> sums_;  // [parts]
};

}  // namespace mlp
