// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "fused_objective.hpp"

#include <cstddef>
#include <optional>

#include "../runtime/cuda_check.hpp"
#include "sum_slices.hpp"

namespace mlp::cuda {

namespace {

/// The shared memory that a block of the current device may have.
std::size_t find_shared_limit() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  int limit = 0;
  check(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                               device),
        "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(limit);
}

template <typename Number>
std::unique_ptr<DeviceObjective> make_if_faster(const Topology& topology,
                                                const FusedInstances& instances,
                                                const Stream& stream) {
  const std::optional<FusedPlan> plan =
      plan_fused(topology, sizeof(Number), instances.size, find_shared_limit());
  if (!plan ||
      predict_fused_seconds(*plan, sizeof(Number), instances.size) >
          predict_layered_seconds(topology, sizeof(Number), instances.size)) {
    return nullptr;
  }
  return std::make_unique<FusedObjective<Number>>(*plan, instances, stream);
}

}  // namespace

template <typename Number>
void FusedObjective<Number>::add_evaluation(const double* weights,
                                            double* value, double* gradient,
                                            const LayerEnqueued& on_layer) {
  evaluate_slices(plan_, instances_, weights, gradients_.data(), losses_.data(),
                  stream_.get());
  sum_slices<Number>(plan_.network.num_weights, plan_.num_slices,
                     gradients_.data(), losses_.data(), value, gradient,
                     stream_.get());
  if (on_layer) on_layer(0);
}

template class FusedObjective<double>;
template class FusedObjective<float>;

std::unique_ptr<DeviceObjective> make_fused_objective(
    const Topology& topology, Precision precision,
    const FusedInstances& instances, const Stream& stream) {
  if (precision == Precision::kFloat64) {
    return make_if_faster<double>(topology, instances, stream);
  }
  if (precision == Precision::kFloat32) {
    return make_if_faster<float>(topology, instances, stream);
  }
  return nullptr;
}

}  // namespace mlp::cuda
