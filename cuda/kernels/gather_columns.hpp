// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "../../core/index.hpp"
#include "number_types.hpp"

namespace mlp::cuda {

/// Copies columns at given positions to consecutive columns.
///
/// It scales bytes as convert() does. The columns are the features of a mini-batch, or
/// with rows = 1 its labels and weights.
///
/// \tparam     From       To, or std::uint8_t
/// \tparam     To         double, float, BFloat16, or std::int32_t
/// \param      positions  on the device, each a column of from   [size]
/// \param      from       [rows x any number]
/// \param[out] to         [rows x size]
/// \cost   reads and writes rows size numbers
template <typename From, typename To>
void gather_columns(Index rows, std::span<const Index> positions,
                    const From* from, double scale, To* to,
                    cudaStream_t stream);

}  // namespace mlp::cuda
