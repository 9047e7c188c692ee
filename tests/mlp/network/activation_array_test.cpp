// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "../../../mlp/backend/reference_network.hpp"

namespace mlp {

namespace {

// A few roundings of numbers near 1.
constexpr double kRounding = 1e-15;

Activation named(std::string_view name) { return *Activation::find(name); }

Matrix sample() {
  Matrix z(2, 3);
  z << -2.0, -0.5, 0.0, 0.25, 1.0, 3.0;
  return z;
}

}  // namespace

TEST_SUITE("mlp/network/activation_array") {
  TEST_CASE("applies each activation as to one number") {
    for (const std::string_view name : Activation::names()) {
      const Activation activation = named(name);
      Matrix value = sample();

      apply_activation(activation, value.size(), value.data());

      CAPTURE(std::string(name));
      for (Index i = 0; i < value.size(); ++i) {
        CHECK(value.data()[i] == activation.value(sample().data()[i]));
      }
    }
  }

  // The logistic function of log 3 is 1 / (1 + 1/3) = 0.75, and its slope
  // 0.75 (1 - 0.75) = 0.1875.
  TEST_CASE("computes a worked example of the default") {
    Matrix value = Matrix::Constant(1, 1, std::log(3.0));
    Matrix delta = Matrix::Constant(1, 1, 2.0);

    apply_activation(Activation(), value.size(), value.data());
    multiply_derivative(Activation(), value.data(), value.data(), 1,
                        delta.data());

    CHECK(std::abs(value(0, 0) - 0.75) < kRounding);
    CHECK(std::abs(delta(0, 0) - 2.0 * 0.1875) < kRounding);
  }

  TEST_CASE("multiplies by each derivative as of one number") {
    for (const std::string_view name : Activation::names()) {
      const Activation activation = named(name);
      const Matrix z = sample();
      Matrix value = z;
      apply_activation(activation, value.size(), value.data());
      Matrix delta = Matrix::Constant(2, 3, -1.5);

      multiply_derivative(activation, z.data(), value.data(), z.size(),
                          delta.data());

      CAPTURE(std::string(name));
      for (Index i = 0; i < z.size(); ++i) {
        CHECK(delta.data()[i] ==
              -1.5 * activation.derivative(z.data()[i], value.data()[i]));
      }
    }
  }

  TEST_CASE("does not read z where the derivative needs the value alone") {
    const Matrix value = Matrix::Constant(2, 2, 0.5);
    Matrix delta = Matrix::Ones(2, 2);

    multiply_derivative(named("tanh"), nullptr, value.data(), 4, delta.data());

    CHECK_FALSE(named("tanh").needs_input());
    CHECK(delta == Matrix::Constant(2, 2, 1.0 - 0.25));
  }

  TEST_CASE("changes nothing behind the numbers") {
    Matrix z = Matrix::Constant(3, 4, -1.0);

    apply_activation(named("relu"), 6, z.data());
    multiply_derivative(named("relu"), z.data(), z.data(), 3, z.col(3).data());

    CHECK(z.leftCols(2) == Matrix::Zero(3, 2));
    CHECK(z.col(2) == Vector::Constant(3, -1.0));
    CHECK(z.col(3).cwiseAbs() == Vector::Zero(3));
  }
}

}  // namespace mlp
