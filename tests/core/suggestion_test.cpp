// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/suggestion.hpp"

#include <doctest/doctest.h>

using mlp::edit_distance;
using mlp::Suggestion;

TEST_SUITE("core/suggestion") {
  TEST_CASE("ignores the case of the letters A to Z and of no others") {
    CHECK(mlp::equals_ignoring_case("Label", "lABEL"));
    CHECK(mlp::equals_ignoring_case("", ""));
    CHECK_FALSE(mlp::equals_ignoring_case("label", "labels"));
    CHECK_FALSE(mlp::equals_ignoring_case("\xC3\x84", "\xC3\xA4"));
    CHECK_FALSE(mlp::equals_ignoring_case("[", "{"));
  }

  TEST_CASE("counts insertions removals replacements and swaps") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("maxiter", "maxiter") == 0);
    CHECK(edit_distance("maxitr", "maxiter") == 1);
    CHECK(edit_distance("maxxiter", "maxiter") == 1);
    CHECK(edit_distance("maxitar", "maxiter") == 1);
    CHECK(edit_distance("maxietr", "maxiter") == 1);
    CHECK(edit_distance("kitten", "sitting") == 3);
  }

  TEST_CASE("is symmetric") {
    CHECK(edit_distance("layers", "labels") ==
          edit_distance("labels", "layers"));
  }

  TEST_CASE("gives the nearest candidate") {
    Suggestion suggestion("sed");

    suggestion.consider("split", "--split");
    suggestion.consider("seed", "--seed");

    CHECK(suggestion.best() == "--seed");
  }

  TEST_CASE("takes the beginning of a word for the word") {
    Suggestion suggestion("partitions");

    suggestion.consider("partitionsizes", "--partition-sizes");

    CHECK(suggestion.best() == "--partition-sizes");
  }

  TEST_CASE("stays silent where nothing is near") {
    Suggestion suggestion("frobnicate");

    suggestion.consider("seed", "--seed");

    CHECK(suggestion.best().empty());
  }
}
