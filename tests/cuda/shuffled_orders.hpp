// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#ifndef CUDART_VERSION  // on the emulated device
#include "../cuda_host/execution_settings.hpp"
#endif

namespace mlp::testing {

/// Returns true if a computation gives equal results in 20 orders of threads and
/// blocks, and whatever fresh memory contains. On a device, which has one order, it
/// runs twice.
///
/// \param compute  called without arguments; allocates what it needs, and returns
///                 numbers that == compares
template <typename Compute>
[[nodiscard]] bool is_same_in_shuffled_orders(Compute&& compute) {
  const auto expected = compute();
#ifdef CUDART_VERSION
  return compute() == expected;
#else
  constexpr std::uint8_t kNan = 0xff;
  constexpr std::uint8_t kFifth = 0x3e;  // floats of these bytes are about 0.19
  bool is_same = true;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    cuda_host::execution_settings() = {seed, seed % 2 == 0 ? kNan : kFifth};
    is_same = compute() == expected && is_same;
  }
  cuda_host::execution_settings() = {};
  return is_same;
#endif
}

/// Computes with at most two blocks for each launch of a kernel, so that a kernel of
/// more elements strides over them. A device has all blocks.
///
/// \param compute  launches only kernels that stride
template <typename Compute>
[[nodiscard]] auto with_two_blocks(Compute&& compute) {
#ifndef CUDART_VERSION
  cuda_host::execution_settings().max_blocks = 2;
#endif
  auto result = compute();
#ifndef CUDART_VERSION
  cuda_host::execution_settings() = {};
#endif
  return result;
}

}  // namespace mlp::testing
