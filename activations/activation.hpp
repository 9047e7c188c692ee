// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "activation_list.hpp"
#include "elu.hpp"
#include "leaky_relu.hpp"
#include "relu.hpp"
#include "sigmoid.hpp"
#include "softplus.hpp"
#include "swish.hpp"
#include "tanh.hpp"

namespace mlp {
namespace activations {

/// All of them. One more takes its file, included above, and its name here:
/// the names for users, plain numbers and the kernels of cpu/ follow from that.
using Activations =
    ActivationList<Sigmoid, Tanh, Softplus, Relu, LeakyRelu, Elu, Swish>;

}  // namespace activations

/// One of the activation functions, chosen at run time; the logistic function
/// of Spark unless another is named.
class Activation {
 public:
  using List = activations::Activations;

  constexpr Activation() = default;

  /// Returns the function F of the list.
  template <class F>
  [[nodiscard]] static constexpr Activation of() {
    static_assert(List::find<F>() < List::kSize, "not in the list");
    return Activation(List::find<F>());
  }

  /// Returns the function of that name, or nothing if there is none.
  [[nodiscard]] static constexpr std::optional<Activation> find(
      std::string_view name) {
    const std::size_t position = List::find(name);
    if (position == List::kSize) return std::nullopt;
    return Activation(position);
  }

  /// Returns the names of all functions, in a fixed order, the default first.
  [[nodiscard]] static constexpr const auto& names() { return List::kNames; }

  /// Returns the name, as users write it.
  [[nodiscard]] constexpr std::string_view name() const {
    return List::kNames[position_];
  }

  /// Returns visitor(F{}), F the type with the value and the derivative. To be
  /// called once for many numbers.
  template <class Visitor>
  constexpr decltype(auto) visit(Visitor&& visitor) const {
    return List::visit(position_, visitor);
  }

  /// True if the derivative needs the weighted sums besides the values.
  [[nodiscard]] constexpr bool needs_input() const {
    return visit([](auto f) { return activations::kNeedsInput<decltype(f)>; });
  }

  /// Returns f(z).
  template <std::floating_point Real>
  [[nodiscard]] Real value(Real z) const {
    return visit([z](auto f) -> Real { return f.value(z); });
  }

  /// Returns f'(z), given z and the value f(z).
  template <std::floating_point Real>
  [[nodiscard]] Real derivative(Real z, Real value) const {
    return visit([z, value](auto f) -> Real {
      return activations::derivative<decltype(f)>(z, value);
    });
  }

  friend constexpr bool operator==(Activation, Activation) = default;

 private:
  constexpr explicit Activation(std::size_t position)
      : position_(static_cast<std::uint8_t>(position)) {}

  std::uint8_t position_ = List::find<activations::Sigmoid>();
};

}  // namespace mlp
