// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The activation functions on arrays, in the kernels of each instruction set.

#include <type_traits>
#include <vector>

#include "../../activations/activation.hpp"
#include "../../core/types.hpp"

namespace mlp::cpu {

/// The activation functions on arrays of one number type.
template <typename T>
struct ActivationFunctions {
  /// Computes a = f(z).
  ///
  /// \param      z  may be a   [size]
  /// \param[out] a  [size]
  void (*apply)(Activation activation, const T* z, Index size, T* a);

  /// Computes delta *= f'(z).
  ///
  /// \param         z      read only if activation.needs_input(), else it may
  ///                       be null   [size]
  /// \param         a      f(z)   [size]
  /// \param[in,out] delta  in: derivative by a; out: derivative by z   [size]
  void (*multiply_derivative)(Activation activation, const T* z, const T* a,
                              Index size, T* delta);
};

/// The activation functions compiled for one instruction set.
///
/// The formulas are those of activations/. The result of an element depends
/// neither on its position nor on its neighbours. The logistic function has the
/// same bits as in the CPU backend.
struct ActivationKernels {
  const char* name;  ///< as Backend::name()
  ActivationFunctions<double> in_double;
  ActivationFunctions<float> in_single;

  /// Returns the functions on arrays of T.
  template <typename T>
  [[nodiscard]] const ActivationFunctions<T>& of() const {
    if constexpr (std::is_same_v<T, double>) {
      return in_double;
    } else {
      return in_single;
    }
  }
};

/// Lists the kernels of every instruction set of this processor, best first.
[[nodiscard]] const std::vector<ActivationKernels>& usable_activation_kernels();

}  // namespace mlp::cpu
