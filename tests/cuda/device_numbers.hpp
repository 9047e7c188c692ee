// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Numbers for tests, on the host and on the device.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "../../core/index.hpp"
#include "../../cuda/kernels/number_types.hpp"
#include "../../cuda/runtime/device_array.hpp"
#include "largest_difference.hpp"

namespace mlp::testing {

/// Copies numbers to new memory of the device.
template <typename T>
[[nodiscard]] cuda::DeviceArray<T> uploaded(const std::vector<T>& numbers,
                                            const cuda::Stream& stream) {
  cuda::DeviceArray<T> array(static_cast<Index>(numbers.size()));
  array.upload(numbers, stream);
  return array;
}

/// Converts numbers to another type.
template <typename To, typename From>
[[nodiscard]] std::vector<To> converted(const std::vector<From>& numbers) {
  std::vector<To> result;
  result.reserve(numbers.size());
  for (const From& number : numbers) {
    result.push_back(cuda::number_cast<To>(number));
  }
  return result;
}

/// Copies numbers to the host as doubles, which == compares for every type.
template <typename T>
[[nodiscard]] std::vector<double> downloaded(const cuda::DeviceArray<T>& array,
                                             const cuda::Stream& stream) {
  return converted<double>(array.download(stream));
}

/// Draws numbers between -limit and limit.
template <typename T = double>
[[nodiscard]] std::vector<T> drawn_numbers(Index size, std::uint64_t seed,
                                           double limit = 1.0) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-limit, limit);
  std::vector<T> numbers(static_cast<std::size_t>(size));
  for (T& number : numbers) {
    number = cuda::number_cast<T>(uniform(generator));
  }
  return numbers;
}

/// Returns the largest difference, relative to the largest number; infinity if a
/// number is NaN in one of them or if the sizes differ.
[[nodiscard]] inline double difference_of(const std::vector<double>& found,
                                          const std::vector<double>& expected) {
  double scale = 1e-300;
  for (const double number : expected) {
    scale = std::max(scale, std::fabs(number));
  }
  return largest_difference(found, expected) / scale;
}

}  // namespace mlp::testing
