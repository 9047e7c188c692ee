// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../runtime/device_code.hpp"
#include "../runtime/launch.hpp"
#include "sum_slices.hpp"

namespace mlp::cuda {

namespace {

constexpr int kNumElements = 32;  ///< that a block sums, one for each lane
constexpr int kNumGroups = 16;    ///< of slices, one for each warp

/// Sums one element of each slice: group g adds slices g, g + kNumGroups, .., and
/// then the first group adds the sums of all groups.
///
/// \pre    every thread calls
/// \return the sum, to the first group
template <typename Number>
__device__ double sum_element(Index element, Index num_elements,
                              Index num_slices, const Number* numbers) {
  double* const sums = shared_memory<double>();
  const int lane = static_cast<int>(threadIdx.x) % kNumElements;
  const int group = static_cast<int>(threadIdx.x) / kNumElements;
  double sum = 0.0;
  if (element < num_elements) {
    for (Index slice = group; slice < num_slices; slice += kNumGroups) {
      sum += static_cast<double>(numbers[slice * num_elements + element]);
    }
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (group > 0) return sum;
  for (int g = 1; g < kNumGroups; ++g) sum += sums[g * kNumElements + lane];
  return sum;
}

/// The last block sums the losses, the others the gradients.
template <typename Number>
__global__ void __launch_bounds__(kNumElements* kNumGroups)
    sum_slices_kernel(Index num_weights, Index num_slices,
                      const Number* gradients, const double* losses,
                      double* value, double* gradient) {
  const int lane = static_cast<int>(threadIdx.x) % kNumElements;
  if (blockIdx.x + 1 == gridDim.x) {
    const double sum = sum_element(lane, 1, num_slices, losses);
    if (threadIdx.x == 0) *value = sum;
    return;
  }
  const Index element = static_cast<Index>(blockIdx.x) * kNumElements + lane;
  const double sum = sum_element(element, num_weights, num_slices, gradients);
  if (threadIdx.x < kNumElements && element < num_weights) {
    gradient[element] = sum;
  }
}

}  // namespace

template <typename Number>
void sum_slices(Index num_weights, Index num_slices, const Number* gradients,
                const double* losses, double* value, double* gradient,
                cudaStream_t stream) {
  const Index num_blocks = (num_weights + kNumElements - 1) / kNumElements + 1;
  constexpr unsigned kNumThreads = kNumElements * kNumGroups;
  launch(sum_slices_kernel<Number>,
         {static_cast<unsigned>(num_blocks), kNumThreads,
          kNumThreads * sizeof(double)},
         stream, num_weights, num_slices, gradients, losses, value, gradient);
}

template void sum_slices(Index, Index, const double*, const double*, double*,
                         double*, cudaStream_t);
template void sum_slices(Index, Index, const float*, const double*, double*,
                         double*, cudaStream_t);

}  // namespace mlp::cuda
