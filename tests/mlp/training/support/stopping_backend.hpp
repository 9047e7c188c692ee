// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "../../../../mlp/backend/reference_backend.hpp"
#include "../../../../mlp/training/train.hpp"
#include "../../backend/forwarding_backend.hpp"
#include "check_resumed.hpp"

namespace mlp::testing {

/// Asks a training to stop when a part of a validation set is computed.
struct StopAtOutput {
  /// \param num_outputs  parts that are computed before
  explicit StopAtOutput(int num_outputs) : num_left(num_outputs) {}

  std::atomic<bool> is_stopping{false};
  std::atomic<int> num_left;
  std::atomic<int> num_late{0};  ///< parts that began after the stop
};

/// The plan of the reference that asks to stop.
class StoppingPlan final : public ScoringPlan {
 public:
  StoppingPlan(std::unique_ptr<ScoringPlan> plan, StopAtOutput& stop)
      : plan_(std::move(plan)), stop_(stop) {}

  void compute_raw(const double* features, Index size,
                   double* raw) const override {
    if (stop_.is_stopping) ++stop_.num_late;
    if (stop_.num_left-- == 0) stop_.is_stopping = true;
    plan_->compute_raw(features, size, raw);
  }
  void compute_raw(const float* features, Index size,
                   float* raw) const override {
    plan_->compute_raw(features, size, raw);
  }
  void compute_raw(const float* features, Index size,
                   double* raw) const override {
    plan_->compute_raw(features, size, raw);
  }
  void compute_layer(const double* features, Index size, Index layer,
                     double* output) const override {
    plan_->compute_layer(features, size, layer, output);
  }

 private:
  std::unique_ptr<ScoringPlan> plan_;
  StopAtOutput& stop_;
};

/// The reference with such plans.
class StoppingBackend final : public ForwardingBackend {
 public:
  /// \param stop  must outlive this object
  explicit StoppingBackend(StopAtOutput& stop) : stop_(stop) {}

  [[nodiscard]] std::unique_ptr<ScoringPlan> make_plan(
      const Topology& topology, const double* weights,
      Precision precision) const override {
    return std::make_unique<StoppingPlan>(
        reference_backend().make_plan(topology, weights, precision), stop_);
  }

 private:
  StopAtOutput& stop_;
};

/// A training that is asked to stop at some part of its validations.
struct StoppedTraining {
  StoppedTraining(const Params& params, const datasets::Dataset& data,
                  const datasets::Dataset& validation, int num_outputs,
                  const std::string& state = {})
      : stop(num_outputs) {
    const StoppingBackend backend(stop);
    FitOptions options;
    options.backend = &backend;
    options.validation = &validation;
    options.is_stopping = &stop.is_stopping;
    options.checkpoint.state = state;
    options.checkpoint.write = [this](const std::string& bytes) {
      last_state = bytes;
    };
    result = train(topology_of(params), params, data, options);
  }

  StopAtOutput stop;
  TrainedWeights result;
  std::string last_state;  ///< empty if none was written
};

/// Stops a training at each part of its validations in turn, resumes it, and
/// checks that it ends like one that was not stopped.
///
/// \return how many were resumed
inline int stop_at_each_output(const Params& params,
                               const datasets::Dataset& data,
                               const datasets::Dataset& validation) {
  constexpr int kNever = 1 << 20;
  const StoppedTraining whole(params, data, validation, kNever);
  int num_resumed = 0;
  for (int num_outputs = 0;; ++num_outputs) {
    const StoppedTraining stopped(params, data, validation, num_outputs);
    if (!stopped.stop.is_stopping) return num_resumed;
    if (stopped.last_state.empty()) continue;
    ++num_resumed;
    check_resumed(
        StoppedTraining(params, data, validation, kNever, stopped.last_state)
            .result,
        whole.result);
  }
}

}  // namespace mlp::testing
