// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/label_numbers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace mlp::datasets {

namespace {

using Counts = std::vector<NumberCount>;

}  // namespace

TEST_SUITE("datasets/label_numbers") {
  TEST_CASE("counts integers that are close to each other in order") {
    const auto numbers = LabelNumbers::of(Vector{{1, -1, 1, 3, -1, 1}});

    CHECK(numbers.are_integers);
    CHECK(numbers.counts == Counts{{-1, 2}, {1, 3}, {3, 1}});
    CHECK(numbers.num_instances() == 6);
  }

  TEST_CASE(
      "counts integers that are far from each other without a counter for "
      "each between") {
    const auto numbers = LabelNumbers::of(Vector{{4e15, -4e15, 7, 4e15}});

    CHECK(numbers.counts == Counts{{-4e15, 1}, {7, 1}, {4e15, 2}});
  }

  TEST_CASE("counts a negative zero as 0") {
    const auto near = LabelNumbers::of(Vector{{-0.0, 0.0, 1.0}});
    const auto far = LabelNumbers::of(Vector{{-0.0, 0.0, 1e9}});

    CHECK(near.counts == Counts{{0, 2}, {1, 1}});
    CHECK(far.counts == Counts{{0, 2}, {1e9, 1}});
    CHECK_FALSE(std::signbit(near.counts[0].number));
    CHECK_FALSE(std::signbit(far.counts[0].number));
  }

  TEST_CASE("counts nothing if a number is a fraction or not exact") {
    for (const double odd : {0.5, 1e16, std::nan(""), HUGE_VAL}) {
      const auto numbers = LabelNumbers::of(Vector{{1, odd, 2}});

      CHECK_FALSE(numbers.are_integers);
      CHECK(numbers.counts.empty());
      CHECK_FALSE(numbers.are_indices(3));
    }
  }

  TEST_CASE("takes integers below 2^53 as classes") {
    const double largest = 9007199254740991.0;

    CHECK(are_class_numbers(Vector{{-largest, -0.0, 7, largest}}));
    for (const double odd : {largest + 1, -largest - 1, 0.5, std::nan("")}) {
      CHECK_FALSE(is_class_number(odd));
      CHECK_FALSE(are_class_numbers(Vector{{1, odd}}));
    }
  }

  TEST_CASE("adds the counts of several parts of the data") {
    auto numbers = LabelNumbers::of(Vector{{5, 2, 2}});

    numbers.add(LabelNumbers::of(Vector{{2, 9}}));
    CHECK(numbers.counts == Counts{{2, 3}, {5, 1}, {9, 1}});
    numbers.add(LabelNumbers::of(Vector{{0.5}}));
    CHECK_FALSE(numbers.are_integers);
    CHECK(numbers.counts.empty());
  }

  TEST_CASE("knows the indices of a number of classes") {
    CHECK(LabelNumbers::of(Vector{{0, 2}}).are_indices(3));
    CHECK_FALSE(LabelNumbers::of(Vector{{0, 2}}).are_indices(2));
    CHECK_FALSE(LabelNumbers::of(Vector{{-1, 1}}).are_indices(3));
    CHECK(LabelNumbers::of(Vector()).are_indices(1));
  }

  TEST_CASE("knows whether each integer from 0 occurs") {
    CHECK(LabelNumbers::of(Vector{{1, 0, 2}}).are_all_indices());
    CHECK_FALSE(LabelNumbers::of(Vector{{0, 2}}).are_all_indices());
  }

  TEST_CASE("lists the first and the last of many integers") {
    CHECK(LabelNumbers::of(Vector{{1, -1}}).list() == "-1, 1");
    CHECK(LabelNumbers::of(Vector{{1, 2, 3, 4, 5, 6, 7}}).list() ==
          "1, 2, 3, ..., 7");
  }

  TEST_CASE("names an integer without a point and a fraction with it") {
    CHECK(number_name(7.0) == "7");
    CHECK(number_name(-1.0) == "-1");
    CHECK(number_name(1e15) == "1000000000000000");
    CHECK(number_name(0.5) == "0.5");
    CHECK(number_name(1e300) == "1e+300");
  }
}

}  // namespace mlp::datasets
