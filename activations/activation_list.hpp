// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mlp::activations {

/// True if the derivative of F needs the weighted sum z besides the value: if it
/// is derivative(z, value) instead of derivative(value).
template <class F>
constexpr bool kNeedsInput = requires(double z) {
  F::derivative(z, z);
};

/// Returns d value / d z of F from both, whichever of them it needs.
template <class F, class Input, class Output>
[[nodiscard]] constexpr auto derivative(Input z, Output value) {
  if constexpr (kNeedsInput<F>) {
    return F::derivative(z, value);
  } else {
    return F::derivative(value);
  }
}

/// A list of activation functions, each a type with kName, value() and
/// derivative(), known by its position.
template <class... Functions>
struct ActivationList {
  static constexpr std::size_t kSize = sizeof...(Functions);

  /// The names, in the order of the list.
  static constexpr std::array<std::string_view, kSize> kNames = {
      Functions::kName...};

  /// Returns the position of the first function for which the name or the type
  /// fits, or kSize if none fits.
  [[nodiscard]] static constexpr std::size_t find(std::string_view name) {
    std::size_t i = 0;
    while (i < kSize && kNames[i] != name) ++i;
    return i;
  }
  template <class F>
  [[nodiscard]] static constexpr std::size_t find() {
    std::size_t i = 0;
    static_cast<void>(
        ((std::is_same_v<F, Functions> ? false : (++i, true)) && ...));
    return i;
  }

  /// Returns visitor(F{}) for the function F at a position.
  ///
  /// \pre  position < kSize
  /// \cost a comparison for each function before it
  template <class Visitor>
  static constexpr decltype(auto) visit(std::size_t position,
                                        Visitor&& visitor) {
    return visit_from<Visitor, Functions...>(position, visitor);
  }

 private:
  template <class Visitor, class F, class... Rest>
  static constexpr decltype(auto) visit_from(std::size_t position,
                                             Visitor& visitor) {
    if constexpr (sizeof...(Rest) > 0) {
      if (position > 0) {
        return visit_from<Visitor, Rest...>(position - 1, visitor);
      }
    }
    return visitor(F{});
  }
};

}  // namespace mlp::activations
