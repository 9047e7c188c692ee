// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/index.hpp"
#include "../../cuda/runtime/device_array.hpp"
#include "../../cuda/runtime/stream.hpp"

namespace mlp::bench {

/// Fills memory of the device with numbers in [-0.5, 0.5). Zeros would not do:
/// with them the device needs less power, and its clock is higher.
///
/// \param      number_bytes  8: double, 4: float, 2: bfloat16
/// \param[out] memory        a multiple of number_bytes
void fill_randomly(Index number_bytes, cuda::DeviceArray<char>& memory,
                   const cuda::Stream& stream);

}  // namespace mlp::bench
