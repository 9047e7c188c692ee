// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Vectors for the tests of kernels.

#include <cuda_runtime.h>

#include <cstdint>
#include <random>
#include <vector>

#include "../../../cuda/runtime/device_array.hpp"
#ifndef CUDART_VERSION  // on the emulated device
#include "../../cuda_host/execution_settings.hpp"
#endif

namespace mlp::testing {

/// Copies numbers to the device.
template <typename T>
cuda::DeviceArray<T> on_device(const std::vector<T>& numbers,
                               const cuda::Stream& stream) {
  cuda::DeviceArray<T> array(static_cast<Index>(numbers.size()));
  array.upload(numbers, stream);
  return array;
}

/// Draws numbers between -1 and 1.
template <typename T>
std::vector<T> random_numbers(Index size, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<T> numbers(static_cast<std::size_t>(size));
  for (T& number : numbers) number = static_cast<T>(uniform(generator));
  return numbers;
}

/// Returns true if a computation gives the same bits in 20 orders of threads and
/// blocks, and whatever fresh memory contains. On a device it runs twice.
template <typename Compute>
bool has_same_bits_in_any_order(Compute&& compute) {
  const auto first = compute();
  bool is_same = true;
#ifndef CUDART_VERSION
  cuda_host::ExecutionSettings& settings = cuda_host::execution_settings();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    settings = {seed, static_cast<std::uint8_t>(seed % 2 == 0 ? 0xff : 0x3e)};
    is_same = compute() == first && is_same;
  }
  settings = {};
#else
  is_same = compute() == first;
#endif
  return is_same;
}

}  // namespace mlp::testing
