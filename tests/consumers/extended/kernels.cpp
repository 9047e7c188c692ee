// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Finds an activation function that was added to the list by its name, and
// compares what it gives with its definition, as numbers and in every kernel.
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

#include "activations/activation.hpp"
#include "cpu/base/activation_kernels.hpp"

namespace {

// exp of z^2, which is rounded itself and at most 9 here.
constexpr double kUlps = 16.0;

template <typename T>
bool is_near(T result, double expected) {
  return std::fabs(static_cast<double>(result) - expected) <=
         kUlps * static_cast<double>(std::numeric_limits<T>::epsilon()) *
             std::fabs(expected);
}

template <typename T>
bool is_right(T z, T value, T slope) {
  const double x = static_cast<double>(z);
  return is_near(value, std::exp(-x * x)) &&
         is_near(slope, -2 * x * std::exp(-x * x));
}

template <typename T>
int num_wrong(mlp::Activation gaussian) {
  constexpr mlp::Index kSize = 7;  // more than a vector and no multiple of one
  const std::array<T, kSize> z = {T(-3), T(-1), T(-0.1), 0, T(0.3), T(1), T(2)};
  int wrong = 0;
  for (const T x : z) {
    const T a = gaussian.value(x);
    wrong += is_right(x, a, gaussian.derivative(x, a)) ? 0 : 1;
  }
  for (const auto& kernels : mlp::cpu::usable_activation_kernels()) {
    std::array<T, kSize> a{};
    std::array<T, kSize> slope{};
    slope.fill(1);
    const auto& functions = kernels.of<T>();
    functions.apply(gaussian, z.data(), kSize, a.data());
    functions.multiply_derivative(gaussian, z.data(), a.data(), kSize,
                                  slope.data());
    for (std::size_t i = 0; i < z.size(); ++i) {
      wrong += is_right(z[i], a[i], slope[i]) ? 0 : 1;
    }
    std::printf("%s: checked\n", kernels.name);
  }
  return wrong;
}

}  // namespace

int main() {
  const std::optional<mlp::Activation> gaussian =
      mlp::Activation::find("gaussian");
  if (!gaussian || gaussian->name() != "gaussian" || !gaussian->needs_input()) {
    std::puts("the list does not hold gaussian as it was added");
    return 1;
  }
  const int wrong = num_wrong<double>(*gaussian) + num_wrong<float>(*gaussian);
  std::printf("%d results are wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
