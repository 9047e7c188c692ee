// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace mlp::testing {

/// Returns the larger of two differences; infinity if one is NaN, which std::max()
/// would ignore.
[[nodiscard]] inline double larger_difference(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? HUGE_VAL : std::max(a, b);
}

/// Returns the largest difference of two numbers at the same place; infinity if one
/// is NaN or if the sizes differ.
template <typename Number>
[[nodiscard]] double largest_difference(const std::vector<Number>& found,
                                        const std::vector<Number>& expected) {
  if (found.size() != expected.size()) return HUGE_VAL;
  double largest = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest =
        larger_difference(largest, std::abs(static_cast<double>(found[i]) -
                                            static_cast<double>(expected[i])));
  }
  return largest;
}

}  // namespace mlp::testing
