// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Conversion of features, on the host, to what the device stores.

#include <cstdint>
#include <optional>

#include "../../core/index.hpp"
#include "../kernels/number_types.hpp"

namespace mlp::cuda {

/// Finds a scale of which every number is a multiple by 0..255, so that bytes
/// stand for the numbers without the change of a bit: 1, 1/255 or the largest
/// number / 255.
///
/// \param numbers  [size]
/// \return nothing if there is none
/// \cost   a pass for each scale, which ends at the first number that is none
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
