// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../activations/activation.hpp"
#include "../../core/types.hpp"

namespace mlp {

/// Applies an activation function to each number of an array.
///
/// \param[in,out] z  out: f(z)   [size]
inline void apply_activation(Activation activation, Index size, double* z) {
  activation.visit([=](auto f) {
    for (Index i = 0; i < size; ++i) z[i] = decltype(f)::value(z[i]);
  });
}

/// Multiplies each number by the derivative of an activation function.
///
/// \param         z      read only if activation.needs_input()   [size]
/// \param         value  f(z)   [size]
/// \param[in,out] delta  out: delta f'(z)   [size]
inline void multiply_derivative(Activation activation, const double* z,
                                const double* value, Index size,
                                double* delta) {
  activation.visit([=](auto f) {
    using F = decltype(f);
    for (Index i = 0; i < size; ++i) {
      if constexpr (activations::kNeedsInput<F>) {
        delta[i] *= F::derivative(z[i], value[i]);
      } else {
        delta[i] *= F::derivative(value[i]);
      }
    }
  });
}

}  // namespace mlp
