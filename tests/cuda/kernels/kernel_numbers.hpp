// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The types and sizes with which kernels are tested.

#include <utility>
#include <vector>

#include "../../../core/index.hpp"
#include "../../../cuda/kernels/number_types.hpp"
#include "../device_numbers.hpp"

namespace mlp::testing {

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
