// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../mlp/backend/precision.hpp"
#include "../mlp/network/topology.hpp"
#include "../mlp/params/params.hpp"
#include "devices.hpp"

/// Predicts how long the CPU and a device compute, in order to choose one of them.
namespace mlp::cuda {

/// The arithmetic and the memory traffic of a training, or of scoring. An
/// evaluation is one of the objective and its gradient, or one forward pass.
struct Work {
  double num_evaluations = 0.0;
  double instances_per_evaluation = 0.0;
  double flops_per_instance = 0.0;  ///< in one evaluation
  double bytes_per_instance = 0.0;  ///< of device memory, in one evaluation

  /// Of device memory: weights, gradient and the vectors of the solver.
  double bytes_per_evaluation = 0.0;

  double kernels_per_evaluation = 0.0;
  double copied_bytes = 0.0;  ///< to the device, before the first evaluation
  Precision precision = Precision::kFloat64;

  /// Of all evaluations.
  [[nodiscard]] double flops() const {
    return num_evaluations * instances_per_evaluation * flops_per_instance;
  }
};

/// Counts the work of a training that does not stop before maxIter. L-BFGS is
/// expected to need 1.5 evaluations per iteration.
[[nodiscard]] Work training_work(const Topology& topology, const Params& params,
                                 Index num_instances, Precision precision);

/// Counts the work of one forward pass in double precision.
[[nodiscard]] Work scoring_work(const Topology& topology, Index num_instances);

/// Returns true if a device could save time even if this CPU is slow. If not,
/// there is no need to measure the CPU.
[[nodiscard]] bool is_worth_measuring(const Work& work);

/// Predicts the seconds of the CPU.
///
/// \param seconds_per_instance  measured, in one evaluation with all threads
[[nodiscard]] double predict_cpu_seconds(const Work& work,
                                         double seconds_per_instance);

/// Predicts the seconds of a device: start, copy, launches, arithmetic and memory
/// traffic, one after the other.
[[nodiscard]] double predict_device_seconds(const Work& work,
                                            const Device& device);

/// Returns what no device can be faster than: start, copy and launches.
[[nodiscard]] double least_device_seconds(const Work& work);

/// Returns true if a device saves at least a third of the time, and a second.
[[nodiscard]] bool is_worthwhile(double cpu_seconds, double device_seconds);

/// The peak rate of arithmetic of a device, in flops per second.
[[nodiscard]] double peak_flops(const Device& device, Precision precision);

}  // namespace mlp::cuda
