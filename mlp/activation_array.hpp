// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "../activations/activation.hpp"
#include "../core/types.hpp"

namespace mlp {

/// Applies an activation to each number.
///
/// \param[in,out] z  an Eigen block; out: f(z)
template <typename Block>
void apply_activation(Activation activation, Block&& z) {
  using Number = typename std::remove_cvref_t<Block>::Scalar;
  activation.visit([&](auto f) {
    z = z.unaryExpr([](Number x) -> Number { return decltype(f)::value(x); });
  });
}

/// Multiplies each number by an activation's derivative.
///
/// \param         z      read where activation.needs_input(); of value's shape
/// \param         value  f(z)
/// \param[in,out] delta  an Eigen block; out: delta f'(z)
template <typename Input, typename Value, typename Block>
void multiply_derivative(Activation activation, const Input& z,
                         const Value& value, Block&& delta) {
  using Number = typename std::remove_cvref_t<Block>::Scalar;
  activation.visit([&](auto f) {
    for (Index j = 0; j < delta.cols(); ++j) {
      for (Index i = 0; i < delta.rows(); ++i) {
        const Number slope =
            activations::derivative<decltype(f)>(z(i, j), value(i, j));
        delta(i, j) *= slope;
      }
    }
  });
}

}  // namespace mlp
