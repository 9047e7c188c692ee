// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../activations/activation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "exact_activation.hpp"

namespace mlp {
namespace {

// Truncation h^2 and rounding 1e-16 / h of the central difference, h = 1e-5.
constexpr double kDifferenceTolerance = 1e-9;

std::vector<Activation> all_activations() {
  std::vector<Activation> all;
  for (const auto name : Activation::names()) {
    all.push_back(*Activation::find(name));
  }
  return all;
}

}  // namespace

TEST_SUITE("activations/activation") {
  TEST_CASE("is the logistic function unless told otherwise") {
    CHECK(Activation() == Activation::of<activations::Sigmoid>());
    CHECK(Activation().name() == "sigmoid");
    CHECK(Activation::names().front() == "sigmoid");
  }

  TEST_CASE("finds each function by its name") {
    CHECK(Activation::find("tanh") == Activation::of<activations::Tanh>());
    CHECK(Activation::find("leaky-relu") ==
          Activation::of<activations::LeakyRelu>());
    for (const auto name : Activation::names()) {
      CAPTURE(std::string(name));
      CHECK(Activation::find(name)->name() == name);
    }
  }

  TEST_CASE("finds nothing by an unknown name") {
    CHECK(Activation::find("") == std::nullopt);
    CHECK(Activation::find("Tanh") == std::nullopt);
    CHECK(Activation::find("tanh ") == std::nullopt);
    CHECK(Activation::find("leaky_relu") == std::nullopt);
  }

  TEST_CASE("tells that swish needs its input for the derivative") {
    for (const char* name :
         {"sigmoid", "tanh", "softplus", "relu", "leaky-relu", "elu"}) {
      CAPTURE(name);
      CHECK_FALSE(Activation::find(name)->needs_input());
    }
    CHECK(Activation::find("swish")->needs_input());
  }

  TEST_CASE("hands a visitor the type that computes") {
    const auto relu = Activation::of<activations::Relu>();

    const double value = relu.visit([](auto f) { return f.value(-3.0); });

    CHECK(value == 0.0);
  }

  TEST_CASE_TEMPLATE("gives values within a few ulps", T, double, float) {
    using Tolerance = ActivationTolerance<T>;
    for (const Activation activation : all_activations()) {
      const ExactActivation exact{activation.name()};
      double worst = 0.0;
      for (const T z : weighted_sums<T>()) {
        worst = std::max(worst,
                         Tolerance::ulps(activation.value(z), exact.value(z)));
      }

      CAPTURE(std::string(activation.name()));
      CHECK(worst <= Tolerance::kUlps);
    }
  }

  TEST_CASE_TEMPLATE("gives derivatives within the rounding of the value", T,
                     double, float) {
    using Tolerance = ActivationTolerance<T>;
    for (const Activation activation : all_activations()) {
      const ExactActivation exact{activation.name()};
      CAPTURE(std::string(activation.name()));
      for (const T z : weighted_sums<T>()) {
        const T slope = activation.derivative(z, activation.value(z));
        const auto expected = exact.derivative(z);
        if (std::fabs(slope - expected) <= Tolerance::kSlope) continue;

        CAPTURE(z);
        CHECK(Tolerance::ulps(slope, expected) <= Tolerance::kUlps);
      }
    }
  }

  TEST_CASE("has the derivatives that finite differences give") {
    constexpr double kStep = 1e-5;
    for (const Activation f : all_activations()) {
      CAPTURE(std::string(f.name()));
      for (double z = -7.9; z <= 8.0; z += 0.25) {  // no corner at 0 among them
        const double difference =
            (f.value(z + kStep) - f.value(z - kStep)) / (2 * kStep);

        CAPTURE(z);
        CHECK(std::abs(f.derivative(z, f.value(z)) - difference) <
              kDifferenceTolerance);
      }
    }
  }

  TEST_CASE_TEMPLATE("keeps NaN", T, double, float) {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    for (const Activation activation : all_activations()) {
      CAPTURE(std::string(activation.name()));
      CHECK(std::isnan(activation.value(nan)));
      CHECK(std::isnan(activation.derivative(nan, nan)));
    }
  }

  TEST_CASE_TEMPLATE("gives finite results for finite numbers", T, double,
                     float) {
    for (const Activation activation : all_activations()) {
      CAPTURE(std::string(activation.name()));
      for (const T z : weighted_sums<T>()) {
        const T value = activation.value(z);

        CAPTURE(z);
        REQUIRE(std::isfinite(value));
        REQUIRE(std::isfinite(activation.derivative(z, value)));
      }
    }
  }
}

}  // namespace mlp
