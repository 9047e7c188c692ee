// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <type_traits>

namespace mlp::cuda {

/// A number of 16 bits with the exponent of a float: an operand of matrix
/// products.
using BFloat16 = __nv_bfloat16;

/// Converts a number; rounds to the nearest, ties to even.
///
/// A double becomes a BFloat16 by way of a float. If the float lies halfway
/// between two of them, the second rounding can differ from that of the double.
template <typename To, typename From>
[[nodiscard]] __host__ __device__ inline To number_cast(From from) {
  if constexpr (std::is_same_v<From, To>) {
    return from;
  } else if constexpr (std::is_same_v<From, BFloat16>) {
    return static_cast<To>(__bfloat162float(from));
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    return __float2bfloat16(static_cast<float>(from));
  } else {
    return static_cast<To>(from);
  }
}

}  // namespace mlp::cuda
