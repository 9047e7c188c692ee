// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/label_spellings.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "../../../datasets/csv/csv.hpp"

namespace mlp::datasets {

namespace {

using Spellings = std::vector<std::pair<double, std::string>>;

Spellings spellings_of(const std::string& text) {
  CsvOptions options;
  options.header = HeaderRule::kNo;
  return read_csv(text, "f.csv", options).dataset.label_spellings;
}

}  // namespace

TEST_SUITE("datasets/reading/label_spellings") {
  TEST_CASE("tells plain integers from other spellings") {
    for (const char* const text : {"0", "7", "10", "-3"}) {
      CHECK(detail::is_plain_integer(text));
    }
    for (const char* const text : {"", "-", "-0", "01", "+1", "1.0", "1e3"}) {
      CHECK_FALSE(detail::is_plain_integer(text));
    }
  }

  TEST_CASE("keeps a spelling that all rows of a number have") {
    CHECK(spellings_of("5,1.0\n6,2.0\n7,1.0\n") ==
          Spellings{{1, "1.0"}, {2, "2.0"}});
    CHECK(spellings_of("5,01\n6,2\n") == Spellings{{1, "01"}});
    CHECK(spellings_of("5, 1.0\n6,\"2.0\"\n") ==
          Spellings{{1, "1.0"}, {2, "2.0"}});
  }

  TEST_CASE("keeps no spelling of a number that has two") {
    CHECK(spellings_of("5,1.0\n6,1\n7,2.0\n") == Spellings{{2, "2.0"}});
    CHECK(spellings_of("5,1\n6,1.0\n").empty());
    CHECK(spellings_of("5,1.00\n6,1.0\n").empty());
  }

  TEST_CASE("keeps nothing of plain integers and of fractions") {
    CHECK(spellings_of("5,1\n6,-2\n").empty());
    CHECK(spellings_of("5,1.0\n6,1.5\n").empty());
  }

  TEST_CASE("unites the spellings of several readers") {
    detail::LabelSpellings first;
    first.add(1, "1.0");
    detail::LabelSpellings second;
    second.add(1, "1.0", 2);
    second.add(2, "02");
    first.merge(second);

    CHECK(first.of(Vector{{1, 1, 2, 1}}) == Spellings{{1, "1.0"}, {2, "02"}});
    CHECK(first.of(Vector{{1, 1, 2, 1, 1}}) == Spellings{{2, "02"}});
  }
}

}  // namespace mlp::datasets
