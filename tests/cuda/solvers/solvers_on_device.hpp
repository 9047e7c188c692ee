// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../../core/thread_pool.hpp"
#include "../../../cuda/solvers/batch_solver_on_device.hpp"
#include "../../../cuda/solvers/gradient_descent_on_device.hpp"
#include "../../../cuda/solvers/lbfgs_on_device.hpp"
#include "../../../mlp/backend/reference_backend.hpp"
#include "../../../mlp/objective/training_objective.hpp"
#include "../../mlp/backend/forwarding_backend.hpp"
#include "host_objective.hpp"

namespace mlp::testing {

/// The objective of a network, which the plain code evaluates.
class PlainNetwork final : public cuda::DeviceObjective {
 public:
  PlainNetwork(const ResidentObjective& resident, const cuda::Stream& stream)
      : function_(resident.topology, resident.instances,
                  {&reference_backend(), 1}),
        objective_(function_, resident.topology.num_weights(), stream) {}

  [[nodiscard]] bool is_capturable() const override { return false; }

  void add_evaluation(const double* weights, double* value, double* gradient,
                      const cuda::LayerEnqueued& on_layer) override {
    objective_.add_evaluation(weights, value, gradient, on_layer);
  }

 private:
  TrainingObjective function_;
  HostObjective<TrainingObjective> objective_;
};

/// The mini-batches of a network, which the plain code evaluates.
template <typename Number>
class PlainBatches final : public cuda::DeviceBatchObjective<Number> {
 public:
  PlainBatches(const ResidentObjective& resident, const cuda::Stream& stream)
      : num_weights_(resident.topology.num_weights()),
        num_statistics_(resident.topology.num_statistics()),
        evaluator_(reference_backend().make_batch_evaluator(
            resident.topology, resident.frozen, std::type_identity<Number>{})),
        pool_(1),
        stream_(stream) {
    evaluator_->bind(resident.instances);
  }

  [[nodiscard]] bool is_capturable() const override { return false; }

  void add_evaluation(const cuda::DeviceBatch& batch, const Number* weights,
                      Number* statistics, double* loss, Number* gradient,
                      const cuda::LayerEnqueued&) override {
    const std::vector<Index> positions = read(batch.instances, batch.size);
    const auto step = read(batch.step, Index{1})[0];
    const std::vector<Number> w = read(weights, num_weights_);
    std::vector<Number> running = read(statistics, num_statistics_);
    std::vector<Number> slopes(w.size());
    MiniBatch mini_batch{positions, step.dropout_seed};
    mini_batch.divisor = step.divisor;
    const double value = evaluator_->value_and_gradient(
        mini_batch, w.data(), running.data(), slopes.data(), pool_);
    cuda::copy_to_device(running.data(), num_statistics_, statistics, stream_);
    cuda::copy_to_device(slopes.data(), num_weights_, gradient, stream_);
    cuda::copy_to_device(&value, 1, loss, stream_);
    stream_.synchronize();
  }

 private:
  template <typename T>
  std::vector<T> read(const T* from, Index size) const {
    std::vector<T> numbers(static_cast<std::size_t>(size));
    cuda::copy_to_host(from, size, numbers.data(), stream_);
    stream_.synchronize();
    return numbers;
  }

  Index num_weights_;
  Index num_statistics_;
  std::unique_ptr<BatchEvaluator<Number>> evaluator_;
  ThreadPool pool_;
  const cuda::Stream& stream_;
};

/// The plain backend, with the solvers' vectors on the device.
class SolversOnDevice final : public ForwardingBackend,
                              public ResidentTraining {
 public:
  [[nodiscard]] const char* name() const override { return "solvers"; }

  [[nodiscard]] const ResidentTraining* resident_training() const override {
    return this;
  }
  [[nodiscard]] std::unique_ptr<optim::LbfgsVectors> make_lbfgs_vectors(
      const ResidentObjective& resident, Index history_size) const override {
    ++num_made;
    auto stream = std::make_shared<const cuda::Stream>();
    auto objective = std::make_unique<PlainNetwork>(resident, *stream);
    return std::make_unique<cuda::LbfgsOnDevice>(
        cuda::FullProblem{resident, std::move(stream), std::move(objective)},
        history_size);
  }

  [[nodiscard]] std::unique_ptr<optim::GradientDescentVectors>
  make_gradient_descent_vectors(
      const ResidentObjective& resident) const override {
    ++num_made;
    auto stream = std::make_shared<const cuda::Stream>();
    auto objective = std::make_unique<PlainNetwork>(resident, *stream);
    return std::make_unique<cuda::GradientDescentOnDevice>(
        cuda::FullProblem{resident, std::move(stream), std::move(objective)});
  }

  [[nodiscard]] std::unique_ptr<BatchSolver> make_batch_solver(
      const ResidentObjective& resident, const BatchRule& rule) const override {
    ++num_made;
    return resident.precision == Precision::kFloat64
               ? make_batches<double>(resident, rule)
               : make_batches<float>(resident, rule);
  }

  mutable int num_made = 0;

 private:
  template <typename Number>
  static std::unique_ptr<BatchSolver> make_batches(
      const ResidentObjective& resident, const BatchRule& rule) {
    auto stream = std::make_shared<const cuda::Stream>();
    auto objective = std::make_unique<PlainBatches<Number>>(resident, *stream);
    return std::make_unique<cuda::BatchSolverOnDevice<Number>>(
        cuda::BatchProblem<Number>{resident, std::move(stream),
                                   std::move(objective)},
        rule);
  }
};

}  // namespace mlp::testing
