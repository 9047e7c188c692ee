// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <vector>

#include "../../activations/activation.hpp"
#include "../../core/types.hpp"

namespace mlp::cpu {

/// The activation functions on arrays of one precision.
template <typename T>
struct ActivationFunctions {
  /// a = f(z).
  ///
  /// \param      z  may be a   [size]
  /// \param[out] a  [size]
  void (*apply)(Activation activation, const T* z, Index size, T* a);

  /// delta *= f'(z).
  ///
  /// \param         z      not read, and may be null, unless
  ///                       activation.needs_input()   [size]
  /// \param         a      f(z)                       [size]
  /// \param[in,out] delta  derivative by a, then by z   [size]
  void (*multiply_derivative)(Activation activation, const T* z, const T* a,
                              Index size, T* delta);
};

/// The kernels of one instruction set: the texts of activations/, on vectors.
/// An element's result depends neither on its place nor on its neighbours. The
/// logistic function has the bits of the tuned backend.
struct ActivationKernels {
  const char* name;  ///< as the backend's
  ActivationFunctions<double> in_double;
  ActivationFunctions<float> in_single;

  /// The functions on arrays of T.
  template <typename T>
  [[nodiscard]] const ActivationFunctions<T>& of() const {
    if constexpr (std::is_same_v<T, double>) {
      return in_double;
    } else {
      return in_single;
    }
  }
};

/// Lists the kernels of every instruction set that this processor has, the best
/// first.
[[nodiscard]] const std::vector<ActivationKernels>& usable_activation_kernels();

}  // namespace mlp::cpu
