// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "feature_codec.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mlp::cuda {

namespace {

constexpr double kMaxByte = 255.0;

/// Returns the byte whose product with the scale is nearest to a number.
///
/// \pre number >= 0
std::uint8_t nearest_byte(double number, double scale) {
  return static_cast<std::uint8_t>(
      std::min(std::round(number / scale), kMaxByte));
}

/// Returns true if a byte stands for the number, and not for -0 or NaN.
bool has_byte(double number, double scale) {
  return number >= 0.0 &&
         std::bit_cast<std::uint64_t>(nearest_byte(number, scale) * scale) ==
             std::bit_cast<std::uint64_t>(number);
}

bool fits(const double* numbers, Index size, double scale) {
  return std::all_of(numbers, numbers + size, [scale](double number) {
    return has_byte(number, scale);
  });
}

}  // namespace

std::optional<double> find_byte_scale(const double* numbers, Index size) {
  for (const double scale : {1.0, 1.0 / kMaxByte}) {
    if (fits(numbers, size, scale)) return scale;
  }
  const double* const end = numbers + size;
  const double largest = size == 0 ? 0.0 : *std::max_element(numbers, end);
  const double scale = largest / kMaxByte;
  if (!(scale > 0.0) || !std::isnormal(scale)) return std::nullopt;
  if (!fits(numbers, size, scale)) return std::nullopt;
  return scale;
}

void encode(const double* numbers, Index size, double scale,
            std::uint8_t* bytes) {
  for (Index i = 0; i < size; ++i) {
    bytes[i] = nearest_byte(numbers[i], scale);
  }
}

}  // namespace mlp::cuda
