// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Converts features on the host to the types that the device stores.

#include <cstdint>
#include <optional>

#include "../../core/index.hpp"
#include "../kernels/number_types.hpp"

namespace mlp::cuda {

/// Finds a scale such that every number is a byte 0..255 times the scale, with equal
/// bits. It tries 1, 1/255 and the largest number / 255.
///
/// \param numbers  [size]
/// \return nothing if no scale fits
/// \cost   a pass for each scale, which ends at the first number that does not fit
[[nodiscard]] std::optional<double> find_byte_scale(const double* numbers,
                                                    Index size);

/// Converts numbers to bytes.
///
/// \param      scale  that find_byte_scale() returned for these numbers, or for
///                    numbers among which these are
/// \param[out] bytes  [size]
void encode(const double* numbers, Index size, double scale,
            std::uint8_t* bytes);

/// Converts numbers to factors of products.
///
/// \tparam     Input  double, float or BFloat16
/// \param[out] inputs [size]
template <typename Input>
void encode(const double* numbers, Index size, double /*scale*/,
            Input* inputs) {
  for (Index i = 0; i < size; ++i) inputs[i] = number_cast<Input>(numbers[i]);
}

}  // namespace mlp::cuda
