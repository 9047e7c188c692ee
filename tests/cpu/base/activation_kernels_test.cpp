// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cpu/base/activation_kernels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "../../../cpu/cpu_backend.hpp"
#include "../../activations/exact_activation.hpp"

namespace mlp::cpu {
namespace {

/// Calls body(kernels, activation) for each instruction set and function.
template <class Body>
void for_all(const Body& body) {
  for (const ActivationKernels& kernels : usable_activation_kernels()) {
    for (const auto name : Activation::names()) {
      INFO(kernels.name, " ", std::string(name));
      body(kernels, *Activation::find(name));
    }
  }
}

template <typename T>
std::vector<T> values(const ActivationKernels& kernels, Activation activation,
                      const std::vector<T>& z) {
  std::vector<T> a(z.size());
  kernels.of<T>().apply(activation, z.data(), static_cast<Index>(z.size()),
                        a.data());
  return a;
}

template <typename T>
std::vector<T> slopes(const ActivationKernels& kernels, Activation activation,
                      const std::vector<T>& z, const std::vector<T>& a) {
  std::vector<T> delta(z.size(), T(1));
  kernels.of<T>().multiply_derivative(activation, z.data(), a.data(),
                                      static_cast<Index>(z.size()),
                                      delta.data());
  return delta;
}

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

bool has_fused_multiply_add(const ActivationKernels& kernels) {
  return std::strncmp(kernels.name, "AVX", 3) == 0;
}

}  // namespace

TEST_SUITE("cpu/base/activation_kernels") {
  TEST_CASE("has the instruction sets of the backends") {
    const auto& kernels = usable_activation_kernels();
    const auto& backends = usable_backends();

    REQUIRE(kernels.size() == backends.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      CHECK(std::string(kernels[i].name) == backends[i]->name());
    }
  }

  TEST_CASE_TEMPLATE("gives values within a few ulps", T, double, float) {
    using Tolerance = ActivationTolerance<T>;
    const std::vector<T> z = weighted_sums<T>();
    for_all([&](const ActivationKernels& kernels, Activation activation) {
      const ExactActivation exact{activation.name()};
      const std::vector<T> a = values(kernels, activation, z);

      double worst = 0.0;
      for (std::size_t i = 0; i < z.size(); ++i) {
        worst = std::max(worst, Tolerance::ulps(a[i], exact.value(z[i])));
      }
      CHECK(worst <= Tolerance::kUlps);
    });
  }

  TEST_CASE_TEMPLATE("gives derivatives within the rounding of the value", T,
                     double, float) {
    using Tolerance = ActivationTolerance<T>;
    const std::vector<T> z = weighted_sums<T>();
    for_all([&](const ActivationKernels& kernels, Activation activation) {
      const ExactActivation exact{activation.name()};
      const auto slope =
          slopes(kernels, activation, z, values(kernels, activation, z));

      for (std::size_t i = 0; i < z.size(); ++i) {
        const auto expected = exact.derivative(z[i]);
        if (std::fabs(slope[i] - expected) <= Tolerance::kSlope) continue;
        CAPTURE(z[i]);
        CHECK(Tolerance::ulps(slope[i], expected) <= Tolerance::kUlps);
      }
    });
  }

  TEST_CASE_TEMPLATE("saturates exactly", T, double, float) {
    const T top = std::numeric_limits<T>::max();
    const std::vector<T> z = {top, -top, T(0), T(-0.0)};
    for (const ActivationKernels& kernels : usable_activation_kernels()) {
      CAPTURE(kernels.name);
      const auto at = [&](const char* name) {
        return values(kernels, *Activation::find(name), z);
      };

      CHECK(at("sigmoid") == std::vector<T>{1, 0, T(0.5), T(0.5)});
      CHECK(at("tanh") == std::vector<T>{1, -1, 0, 0});
      CHECK(at("relu") == std::vector<T>{top, 0, 0, 0});
      CHECK(at("elu") == std::vector<T>{top, -1, 0, 0});
      CHECK(at("swish") == std::vector<T>{top, 0, 0, 0});
      CHECK(at("softplus")[0] == top);
      CHECK(at("softplus")[1] == 0);
      CHECK(std::signbit(at("tanh")[3]));
      CHECK_FALSE(std::signbit(at("relu")[3]));
    }
  }

  TEST_CASE_TEMPLATE("keeps NaN where it is and nowhere else", T, double,
                     float) {
    std::vector<T> z(37, T(0.5));
    for (const std::size_t i : {0u, 13u, 36u}) {
      z[i] = std::numeric_limits<T>::quiet_NaN();
    }
    for_all([&](const ActivationKernels& kernels, Activation activation) {
      const std::vector<T> a = values(kernels, activation, z);
      const std::vector<T> slope = slopes(kernels, activation, z, a);

      for (std::size_t i = 0; i < z.size(); ++i) {
        CHECK(std::isnan(a[i]) == std::isnan(z[i]));
        CHECK(std::isnan(slope[i]) == std::isnan(z[i]));
      }
    });
  }

  TEST_CASE_TEMPLATE("gives an element the same bits in any place", T, double,
                     float) {
    const std::vector<T> z = weighted_sums<T>();
    for_all([&](const ActivationKernels& kernels, Activation activation) {
      const std::vector<T> a = values(kernels, activation, z);
      for (const std::size_t first : {1u, 3u, 40001u}) {
        const std::vector<T> part(z.begin() + static_cast<Index>(first),
                                  z.begin() + static_cast<Index>(first) + 21);

        const std::vector<T> again = values(kernels, activation, part);

        CHECK(std::memcmp(again.data(), a.data() + first, 21 * sizeof(T)) == 0);
      }
    });
  }

  TEST_CASE_TEMPLATE("works in place and multiplies what is there", T, double,
                     float) {
    const std::vector<T> z = {T(-2), T(-0.5), T(0), T(0.5), T(2)};
    for_all([&](const ActivationKernels& kernels, Activation activation) {
      const auto& functions = kernels.of<T>();
      const std::vector<T> a = values(kernels, activation, z);
      const std::vector<T> slope = slopes(kernels, activation, z, a);
      std::vector<T> in_place = z;
      std::vector<T> delta(z.size(), T(-8));

      functions.apply(activation, in_place.data(), 5, in_place.data());
      functions.multiply_derivative(activation, z.data(), a.data(), 5,
                                    delta.data());

      CHECK(same_bits(in_place, a));
      for (std::size_t i = 0; i < z.size(); ++i) {
        CHECK(delta[i] == T(-8) * slope[i]);
      }
    });
  }

  TEST_CASE("reads no weighted sums where the values suffice") {
    const std::vector<double> a(11, 0.25);
    for_all([&](const ActivationKernels& kernels, Activation activation) {
      if (activation.needs_input()) return;
      std::vector<double> delta(11, 1.0);

      kernels.in_double.multiply_derivative(activation, nullptr, a.data(), 11,
                                            delta.data());

      CHECK(delta.back() == activation.derivative(0.0, 0.25));
    });
  }

  TEST_CASE_TEMPLATE("gives one set of bits on AVX2 and AVX-512", T, double,
                     float) {
    const auto& sets = usable_activation_kernels();
    if (sets.size() < 2 || !has_fused_multiply_add(sets[1])) {
      MESSAGE("test skipped: this processor has not both");
      return;
    }
    const std::vector<T> z = weighted_sums<T>();
    for (const auto name : Activation::names()) {
      const Activation f = *Activation::find(name);
      const std::vector<T> a = values(sets[0], f, z);

      CAPTURE(std::string(name));
      CHECK(same_bits(a, values(sets[1], f, z)));
      CHECK(same_bits(slopes(sets[0], f, z, a), slopes(sets[1], f, z, a)));
    }
  }
}

}  // namespace mlp::cpu
