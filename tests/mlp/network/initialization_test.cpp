// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/network/initialization.hpp"

#include <doctest/doctest.h>

#include <set>

namespace mlp {

TEST_SUITE("mlp/network/initialization") {
  TEST_CASE("finds each initialisation by each of its names") {
    std::set<std::string_view> names;
    for (const InitializationName& known : kInitializationNames) {
      names.insert(known.name);
      CHECK(find_initialization(known.name) == known.initialization);
    }

    CHECK(names.size() == kInitializationNames.size());
  }

  TEST_CASE("reads back the name that it writes") {
    for (const InitializationName& known : kInitializationNames) {
      const auto name = initialization_name(known.initialization);
      CHECK(find_initialization(name) == known.initialization);
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
