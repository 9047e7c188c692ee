// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Numbers for the tests of kernels, on the host and on the device.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "../../../core/index.hpp"
#include "../../../cuda/kernels/number_types.hpp"
#include "../../../cuda/runtime/device_array.hpp"

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
  if (found.size() != expected.size()) return HUGE_VAL;
  double scale = 1e-300;
  double difference = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    scale = std::max(scale, std::fabs(expected[i]));
    const double distance = std::fabs(found[i] - expected[i]);
    if (std::isnan(distance)) return HUGE_VAL;
    difference = std::max(difference, distance);
  }
  return difference / scale;
}

/// \name The types of a precision, those of sums and of operands of products, and
/// the bound of the error of an operation whose result is an Input.
/// @{
struct Doubles {
  using Number = double;
  using Input = double;
  static constexpr double kRounding = 1e-14;
};
struct Floats {
  using Number = float;
  using Input = float;
  static constexpr double kRounding = 1e-6;
};
struct Mixed {
  using Number = float;
  using Input = cuda::BFloat16;
  static constexpr double kRounding = 0.01;
};
/// @}

/// Sizes that fill threads, packs, warps and blocks, or not: units and instances.
inline const std::vector<std::pair<Index, Index>> kShapes = {
    {1, 1}, {1, 700}, {3, 1}, {4, 1}, {8, 33}, {33, 8}, {64, 31}, {101, 257}};

}  // namespace mlp::testing
