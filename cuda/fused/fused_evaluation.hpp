// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "../../core/index.hpp"
#include "fused_plan.hpp"

namespace mlp::cuda {

/// How features are stored on the device.
enum class FeatureType { kFloat64, kFloat32, kByte };

/// Instances in the memory of the device.
struct FusedInstances {
  Index size = 0;
  const void* features = nullptr;  ///< [num_features x size]
  FeatureType type = FeatureType::kFloat64;
  double scale = 1.0;  ///< a feature is its number times scale
  const std::int32_t* labels = nullptr;  ///< Loss::kSoftmaxNll   [size]
  const double* targets = nullptr;  ///< other losses   [num_classes x size]
  const double* weights = nullptr;  ///< [size]; null if all are 1
};

/// Computes for each slice of the instances the sum of weight times loss and its
/// gradient, in one kernel whose blocks hold the network on chip.
///
/// A block copies the weights to shared memory once and takes tile after tile of
/// its slice: forward pass, loss and backward pass touch no other memory. Each
/// element of the gradient belongs to one thread, which adds the instances of a
/// tile in their order, and tile after tile.
///
/// \tparam     Number     double or float: the type on chip; losses are computed
///                        in double
/// \param      weights    [num_weights]
/// \param[out] gradients  [num_weights x plan.num_slices]
/// \param[out] losses     [plan.num_slices]
/// \throws DeviceError if the device lacks plan.shared_bytes
/// \cost   2 size (3 S - n0 n1) flops, S = sum of products of adjacent sizes;
///         reads the instances once and the weights once for each slice, writes
///         plan.slice_bytes()
template <typename Number>
void evaluate_slices(const FusedPlan& plan, const FusedInstances& instances,
                     const double* weights, Number* gradients, double* losses,
                     cudaStream_t stream);

}  // namespace mlp::cuda
