// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../activations/formula.hpp"

#include <doctest/doctest.h>

#include <type_traits>

namespace mlp::activations {

TEST_SUITE("activations/formula") {
  TEST_CASE("names what is to be computed in its type") {
    const auto difference = Input{} - Output{};
    const auto negated = -abs(Input{});

    CHECK(std::is_same_v<decltype(difference),
                         const Binary<operation::Subtract, Input, Output>>);
    CHECK(std::is_same_v<
          decltype(negated),
          const Unary<operation::Negate, Unary<operation::Abs, Input>>>);
  }

  TEST_CASE("keeps numbers as constants on either side") {
    const auto product = 2 * Input{};
    const auto sum = Input{} + 0.5;

    CHECK(product.a.value == 2.0);
    CHECK(sum.b.value == 0.5);
    CHECK(constant<Input>(0.01).value == 0.01);
  }

  TEST_CASE("keeps the order of the operands") {
    const auto choice = where_positive(Input{}, 1, Output{});

    CHECK(std::is_same_v<
          decltype(choice),
          const Ternary<operation::WherePositive, Input, Constant, Output>>);
    CHECK(choice.b.value == 1.0);
  }

  TEST_CASE("leaves arithmetic on numbers alone") {
    CHECK(Formula<Input>);
    CHECK_FALSE(Formula<double>);
    CHECK_FALSE(FormulaOperands<double, int>);
  }
}

}  // namespace mlp::activations
