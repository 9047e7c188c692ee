// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Launches kernels. For .cu files only.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "../../core/index.hpp"
#include "cuda_check.hpp"

namespace mlp::cuda {

/// How many blocks of how many threads run a kernel.
struct Grid {
  unsigned num_blocks = 1;
  unsigned num_threads = 256;    ///< of a block, a multiple of 32
  std::size_t shared_bytes = 0;  ///< dynamic, of a block; at most 48 KiB
};

/// The most blocks of a kernel that strides over its elements: enough for every
/// device, so that the grid, and with it the order of sums, is the same on all.
inline constexpr Index kMaxStridingBlocks = 4096;

/// Returns the grid of a kernel that strides over elements.
[[nodiscard]] inline Grid striding_grid(Index num_elements,
                                        unsigned num_threads = 256) {
  const Index blocks = (num_elements + num_threads - 1) / num_threads;
  return {
      static_cast<unsigned>(std::clamp<Index>(blocks, 1, kMaxStridingBlocks)),
      num_threads, 0};
}

/// Adds a kernel to a stream.
///
/// \param arguments  copied now
/// \throws DeviceError if the launch is not possible
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), const Grid& grid,
            cudaStream_t stream, const Arguments&... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3{grid.num_blocks, 1, 1};
  config.blockDim = dim3{grid.num_threads, 1, 1};
  config.dynamicSmemBytes = grid.shared_bytes;
  config.stream = stream;
  check(cudaLaunchKernelEx(&config, kernel,
                           static_cast<Parameters>(arguments)...),
        "cudaLaunchKernelEx");
}

}  // namespace mlp::cuda
