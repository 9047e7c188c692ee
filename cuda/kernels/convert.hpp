// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "../../core/index.hpp"
#include "number_types.hpp"

namespace mlp::cuda {

/// Converts numbers to another type.
///
/// A std::uint8_t stands for that number times the scale, computed in double;
/// other types have the scale 1.
///
/// \tparam     From  double, float, BFloat16 or std::uint8_t
/// \tparam     To    double, float or BFloat16
/// \param      from  [size]
/// \param[out] to    [size]
/// \cost   reads and writes size numbers
template <typename From, typename To>
void convert(Index size, const From* from, double scale, To* to,
             cudaStream_t stream);

/// Adds numbers in single precision to sums in double precision.
///
/// \param         numbers  [size]
/// \param[in,out] sums     [size]
/// \cost   20 size bytes of memory traffic
void add_to_double(Index size, const float* numbers, double* sums,
                   cudaStream_t stream);

}  // namespace mlp::cuda
