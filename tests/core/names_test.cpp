// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/names.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <optional>
#include <string>

namespace mlp {

namespace {

enum class Colour { kRed, kGreen, kBlue };

constexpr auto kColours = std::to_array<Named<Colour>>({
    {Colour::kRed, "red"},
    {Colour::kBlue, "blue"},
});

constexpr std::array<std::string_view, 3> kLetters = {"a", "b", "c"};

std::string_view written(std::int64_t number, ConstantText& text) {
  return text.append(number).view();
}

}  // namespace

TEST_SUITE("core/names") {
  TEST_CASE("finds the name of a value and the value of a name") {
    CHECK(name_in(kColours, Colour::kBlue) == "blue");
    CHECK(name_in(kColours, Colour::kGreen).empty());
    CHECK(find_named(kColours, "red") == Colour::kRed);
    CHECK(find_named(kColours, "Red") == std::nullopt);
    CHECK(find_named(kColours, "") == std::nullopt);
  }

  TEST_CASE("collects the names of a list in its order") {
    CHECK(kNamesOf<kColours>.size() == 2);
    CHECK(kNamesOf<kColours>[0] == "red");
    CHECK(kNamesOf<kColours>[1] == "blue");
  }

  TEST_CASE("joins names as a choice or with one separator") {
    CHECK(join_choices(kLetters) == "a, b or c");
    CHECK(join_choices(kNamesOf<kColours>) == "red or blue");
    CHECK(join_choices(std::array<std::string_view, 1>{"a"}) == "a");
    CHECK(join_choices({}).empty());
    CHECK(join_names(kLetters, "|") == "a|b|c");
  }

  TEST_CASE("makes the same text while compiling") {
    static_assert(kChoices<kLetters> == "a, b or c");

    CHECK(kChoices<kNamesOf<kColours>> == join_choices(kNamesOf<kColours>));
  }

  TEST_CASE("writes numbers into a constant text") {
    for (const std::int64_t number :
         {std::int64_t{0}, std::int64_t{-7}, std::int64_t{1024},
          std::numeric_limits<std::int64_t>::max(),
          std::numeric_limits<std::int64_t>::min() + 1}) {
      ConstantText text;
      CHECK(written(number, text) == std::to_string(number));
    }
  }
}

}  // namespace mlp
