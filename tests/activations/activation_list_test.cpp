// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../activations/activation_list.hpp"

#include <doctest/doctest.h>

namespace mlp::activations {
namespace {

/// f(z) = 3 z, whose derivative needs nothing.
struct Triple {
  static constexpr std::string_view kName = "triple";
  template <class Number>
  static constexpr auto value(Number z) {
    return 3 * z;
  }
  template <class Number>
  static constexpr auto derivative(Number value) {
    return value - value + 3;
  }
};

/// f(z) = z^2, whose derivative needs z.
struct Square {
  static constexpr std::string_view kName = "square";
  template <class Number>
  static constexpr auto value(Number z) {
    return z * z;
  }
  template <class Number, class Value>
  static constexpr auto derivative(Number z, Value /*value*/) {
    return 2 * z;
  }
};

using List = ActivationList<Triple, Square>;

}  // namespace

TEST_SUITE("activations/activation_list") {
  TEST_CASE("knows its functions by name and by type") {
    CHECK(List::kSize == 2);
    CHECK(List::kNames[1] == "square");
    CHECK(List::find("square") == 1);
    CHECK(List::find<Triple>() == 0);
    CHECK(List::find<Square>() == 1);
  }

  TEST_CASE("gives its size for what it does not hold") {
    CHECK(List::find("cube") == List::kSize);
    CHECK(List::find<int>() == List::kSize);
  }

  TEST_CASE("visits the function at a position") {
    const auto value_of_5 = [](auto f) { return f.value(5.0); };

    CHECK(List::visit(0, value_of_5) == 15.0);
    CHECK(List::visit(1, value_of_5) == 25.0);
  }

  TEST_CASE("sees from the signature whether a derivative needs its input") {
    CHECK_FALSE(kNeedsInput<Triple>);
    CHECK(kNeedsInput<Square>);
    CHECK(derivative<Triple>(5.0, 15.0) == 3.0);
    CHECK(derivative<Square>(5.0, 25.0) == 10.0);
  }
}

}  // namespace mlp::activations
