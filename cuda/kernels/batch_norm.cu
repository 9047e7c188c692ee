// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "../../mlp/network/batch_norm.hpp"
#include "../runtime/device_code.hpp"
#include "../runtime/launch.hpp"
#include "batch_norm.hpp"

namespace mlp::cuda {

namespace {

constexpr int kNumUnits = 32;   ///< of a block, one for each lane
constexpr int kNumGroups = 16;  ///< of instances, one for each warp
constexpr unsigned kNumThreads = kNumUnits * kNumGroups;

/// One thread of a block that computes kNumUnits units: it has one unit, and
/// instances group, group + kNumGroups, ..
struct UnitThread {
  int lane = static_cast<int>(threadIdx.x) % kNumUnits;
  int group = static_cast<int>(threadIdx.x) / kNumUnits;
  Index unit = static_cast<Index>(blockIdx.x) * kNumUnits + lane;

  /// Adds a number of each thread of the unit, in the order of the groups.
  ///
  /// \pre    every thread of the block calls
  /// \return the sum, to every thread of the unit
  __device__ double sum(double number) const {
    double* const shared = shared_memory<double>();
    shared[threadIdx.x] = number;
    __syncthreads();
    double sum = 0.0;
    for (int g = 0; g < kNumGroups; ++g) sum += shared[g * kNumUnits + lane];
    __syncthreads();
    return sum;
  }
};

struct Moments {
  double mean;
  double variance;
};

/// Returns mean and variance of a unit over the mini-batch.
///
/// \pre every thread of the block calls
template <typename Number>
__device__ Moments batch_moments(const BatchNormOutput<Number>& layer,
                                 const UnitThread& thread) {
  const bool has_unit = thread.unit < layer.units;
  const Number bias = has_unit ? layer.biases[thread.unit] : Number{0};
  const auto z = [&](Index i) {
    return static_cast<double>(layer.z[thread.unit + i * layer.units] + bias);
  };
  const auto size = static_cast<double>(layer.size);
  double sum = 0.0;
  for (Index i = thread.group; i < layer.size && has_unit; i += kNumGroups) {
    sum += z(i);
  }
  const double mean = thread.sum(sum) / size;
  double squares = 0.0;
  for (Index i = thread.group; i < layer.size && has_unit; i += kNumGroups) {
    squares += (z(i) - mean) * (z(i) - mean);
  }
  return {mean, thread.sum(squares) / size};
}

/// Moves the running statistics of a unit towards those of the mini-batch.
template <typename Number>
__device__ void move_statistics(const BatchNormOutput<Number>& layer,
                                Index unit, const Moments& moments) {
  const auto size = static_cast<double>(layer.size);
  const auto mean = static_cast<double>(layer.running_mean[unit]);
  const auto variance = static_cast<double>(layer.running_variance[unit]);
  layer.running_mean[unit] =
      static_cast<Number>(mean + BatchNorm::kMomentum * (moments.mean - mean));
  layer.running_variance[unit] = static_cast<Number>(
      variance + BatchNorm::kMomentum *
                     (moments.variance * (size / (size - 1)) - variance));
}

template <typename Number>
__device__ Moments running_moments(const BatchNormOutput<Number>& layer,
                                   const UnitThread& thread) {
  if (thread.unit >= layer.units) return {0.0, 0.0};
  return {static_cast<double>(layer.running_mean[thread.unit]),
          static_cast<double>(layer.running_variance[thread.unit])};
}

template <typename Number>
__global__ void __launch_bounds__(kNumThreads, 2)
    batch_norm_output_kernel(BatchNormOutput<Number> layer) {
  const UnitThread thread;
  const Index unit = thread.unit;
  const Moments moments = layer.is_frozen ? running_moments(layer, thread)
                                          : batch_moments(layer, thread);
  if (unit >= layer.units) return;
  const double deviation = std::sqrt(moments.variance + BatchNorm::kEpsilon);
  if (thread.group == 0) {
    layer.deviation[unit] = deviation;
    if (!layer.is_frozen) move_statistics(layer, unit, moments);
  }
  const Number bias = layer.biases[unit];
  const Number scale = layer.scales[unit];
  const Number shift = layer.shifts[unit];
  for (Index i = thread.group; i < layer.size; i += kNumGroups) {
    const Index at = unit + i * layer.units;
    const auto normalised = static_cast<Number>(
        (static_cast<double>(layer.z[at] + bias) - moments.mean) / deviation);
    layer.normalised[at] = normalised;
    layer.z[at] = normalised * scale + shift;
  }
}

struct DeltaSums {
  double shift = 0.0;  ///< sum of g
  double scale = 0.0;  ///< sum of g n
};

/// Returns the sums of a unit over the mini-batch.
///
/// \pre every thread of the block calls
template <typename Number, typename Input>
__device__ DeltaSums sum_deltas(const BatchNormDelta<Number, Input>& layer,
                                const UnitThread& thread) {
  DeltaSums sums;
  const bool has_unit = thread.unit < layer.units;
  for (Index i = thread.group; i < layer.size && has_unit; i += kNumGroups) {
    const Index at = thread.unit + i * layer.units;
    const auto delta = static_cast<double>(layer.output_delta[at]);
    sums.shift += delta;
    sums.scale += delta * static_cast<double>(layer.normalised[at]);
  }
  return {thread.sum(sums.shift), thread.sum(sums.scale)};
}

template <typename Number, typename Input>
__global__ void __launch_bounds__(kNumThreads, 2)
    batch_norm_delta_kernel(BatchNormDelta<Number, Input> layer) {
  const UnitThread thread;
  const Index unit = thread.unit;
  const DeltaSums sums =
      layer.is_frozen ? DeltaSums{} : sum_deltas(layer, thread);
  if (unit >= layer.units) return;
  if (!layer.is_frozen && thread.group == 0) {
    layer.shift_gradient[unit] = static_cast<Number>(sums.shift);
    layer.scale_gradient[unit] = static_cast<Number>(sums.scale);
  }
  const auto size = static_cast<double>(layer.size);
  const double mean = sums.shift / size;
  const double slope = sums.scale / size;
  const double ratio =
      static_cast<double>(layer.scales[unit]) / layer.deviation[unit];
  for (Index i = thread.group; i < layer.size; i += kNumGroups) {
    const Index at = unit + i * layer.units;
    double delta = static_cast<double>(layer.output_delta[at]);
    if (!layer.is_frozen) {
      delta -= mean + static_cast<double>(layer.normalised[at]) * slope;
    }
    layer.delta[at] = number_cast<Input>(static_cast<Number>(delta * ratio));
  }
}

Grid unit_grid(Index units) {
  return {static_cast<unsigned>((units + kNumUnits - 1) / kNumUnits),
          kNumThreads, kNumThreads * sizeof(double)};
}

}  // namespace

template <typename Number>
void batch_norm_output(const BatchNormOutput<Number>& layer,
                       cudaStream_t stream) {
  launch(batch_norm_output_kernel<Number>, unit_grid(layer.units), stream,
         layer);
}

template <typename Number, typename Input>
void batch_norm_delta(const BatchNormDelta<Number, Input>& layer,
                      cudaStream_t stream) {
  launch(batch_norm_delta_kernel<Number, Input>, unit_grid(layer.units), stream,
         layer);
}

template void batch_norm_output(const BatchNormOutput<double>&, cudaStream_t);
template void batch_norm_output(const BatchNormOutput<float>&, cudaStream_t);
template void batch_norm_delta(const BatchNormDelta<double, double>&,
                               cudaStream_t);
template void batch_norm_delta(const BatchNormDelta<float, float>&,
                               cudaStream_t);
template void batch_norm_delta(const BatchNormDelta<float, BFloat16>&,
                               cudaStream_t);

}  // namespace mlp::cuda
