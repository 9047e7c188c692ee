// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../../optim/objective.hpp"
#include "../backend/backend.hpp"
#include "../backend/batch_evaluator.hpp"
#include "../instances/instance_range.hpp"
#include "../network/topology.hpp"
#include "../objective/weight_ranges.hpp"
#include "../params/params.hpp"
#include "fit_options.hpp"

namespace mlp {

/// A step of a training by mini-batches, seen from all of its instances.
struct MiniBatchStep {
  std::int64_t number = 0;  ///< counted over all epochs, from 0 on

  /// Of all ranks.
  std::span<const Index> instances;

  std::uint64_t dropout_seed = 0;
};

/// The objective and the gradient of mini-batches, whoever computes them.
///
/// \tparam Number  of weights and gradient
template <typename Number>
class MiniBatchGradient {
 public:
  virtual ~MiniBatchGradient() = default;

  /// Computes sum of w l / sum of w over a mini-batch, and its gradient.
  ///
  /// \param         weights     [num_weights]
  /// \param[in,out] statistics  [num_statistics]
  /// \param[out]    gradient    [num_weights]
  /// \throws optim::Interrupted where the caller asked to stop
  virtual double compute(const MiniBatchStep& step, const Number* weights,
                         Number* statistics, Number* gradient) = 0;

  /// Makes the next step throw optim::Interrupted wherever it is computed.
  virtual void request_stop() = 0;
};

/// All instances are here.
template <typename Number>
class LocalMiniBatchGradient final : public MiniBatchGradient<Number> {
 public:
  /// \param options    must outlive this object, as instances and pool must
  LocalMiniBatchGradient(const Topology& topology, const Params& params,
                         const FitOptions& options,
                         const InstanceRange& instances, ThreadPool& pool)
      : is_stopping_(options.is_stopping),
        pool_(pool),
        evaluator_(options.backend->make_batch_evaluator(
            topology, frozen_layers(topology, params),
            std::type_identity<Number>{})) {
    evaluator_->bind(instances);
  }

  double compute(const MiniBatchStep& step, const Number* weights,
                 Number* statistics, Number* gradient) override {
    if (is_stop_requested_ || (is_stopping_ && *is_stopping_)) {
      throw optim::Interrupted();
    }
    return evaluator_->value_and_gradient({step.instances, step.dropout_seed},
                                          weights, statistics, gradient, pool_);
  }

  void request_stop() override { is_stop_requested_ = true; }

 private:
  const std::atomic<bool>* is_stopping_;
  ThreadPool& pool_;
  std::unique_ptr<BatchEvaluator<Number>> evaluator_;
  bool is_stop_requested_ = false;
};

}  // namespace mlp
