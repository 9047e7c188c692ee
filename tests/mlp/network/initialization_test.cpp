// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/network/initialization.hpp"

#include <doctest/doctest.h>

#include <set>

namespace mlp {

TEST_SUITE("mlp/network/initialization") {
  TEST_CASE("finds each initialisation by each of its names") {
    std::set<std::string_view> names;
    for (const auto& known : kInitializationNames) {
      names.insert(known.name);
      CHECK(find_initialization(known.name) == known.value);
    }
    for (const auto& known : kInitializationAliases) {
      names.insert(known.name);
      CHECK(find_initialization(known.name) == known.value);
    }

    CHECK(names.size() ==
          kInitializationNames.size() + kInitializationAliases.size());
  }

  TEST_CASE("reads back the name that it writes") {
    for (const auto& known : kInitializationAliases) {
      const auto name = initialization_name(known.value);
      CHECK_FALSE(name.empty());
      CHECK(find_initialization(name) == known.value);
    }
  }

  TEST_CASE("takes the short names of the papers' authors") {
    CHECK(find_initialization("xavier") == Initialization::kXavierUniform);
    CHECK(find_initialization("glorot") == Initialization::kXavierUniform);
    CHECK(find_initialization("he") == Initialization::kHeNormal);
    CHECK(find_initialization("lecun") == Initialization::kLecunNormal);
    CHECK(initialization_name(Initialization::kHeNormal) == "he-normal");
    CHECK(initialization_name(Initialization::kSpark) == "spark");
  }

  TEST_CASE("finds nothing under another name") {
    CHECK_FALSE(find_initialization("").has_value());
    CHECK_FALSE(find_initialization("He").has_value());
    CHECK_FALSE(find_initialization("zeros").has_value());
  }
}

}  // namespace mlp
