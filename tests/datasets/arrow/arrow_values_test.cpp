// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/arrow/arrow_values.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow_memory.hpp"

namespace mlp::datasets::detail {

namespace {

using test::ArrowColumn;
using Column = std::shared_ptr<ArrowColumn>;

ArrowValues values_of(const Column& column) {
  return ArrowValues(*column->schema(), *column->array(), 0);
}

std::string text_of(const Column& column, Index row) {
  std::string text;
  values_of(column).append_text(text, row);
  return text;
}

template <typename Number>
void check_numbers(const std::string& format, Number least, Number most) {
  CAPTURE(format);
  const Column column =
      ArrowColumn::of<Number>("x", format, {least, most, std::nullopt});
  std::vector<double> numbers(4, -1.0);

  values_of(column).copy_numbers(0, 3, numbers.data());

  CHECK(numbers[0] == static_cast<double>(least));
  CHECK(numbers[1] == static_cast<double>(most));
  CHECK(std::isnan(numbers[2]));
  CHECK(numbers[3] == -1.0);
}

template <typename Number>
void check_limits(const std::string& format) {
  using Limits = std::numeric_limits<Number>;
  check_numbers<Number>(format, Limits::lowest(), Limits::max());
}

/// A decimal of 128 bits, whose upper half is the sign.
Column decimals(const std::string& format,
                const std::vector<std::int64_t>& values) {
  auto column = std::make_shared<ArrowColumn>("x", format);
  std::vector<std::int64_t> halves;
  std::vector<std::optional<std::int64_t>> valid(values.begin(), values.end());
  for (const std::int64_t value : values) {
    halves.push_back(value);
    halves.push_back(value < 0 ? -1 : 0);
  }
  column->set_valid(valid);
  column->add_buffer(halves);
  return column;
}

}  // namespace

TEST_SUITE("datasets/arrow/arrow_values") {
  TEST_CASE("numbers of all sizes become doubles, and null becomes NaN") {
    check_limits<std::int8_t>("c");
    check_limits<std::uint8_t>("C");
    check_limits<std::int16_t>("s");
    check_limits<std::uint16_t>("S");
    check_limits<std::int32_t>("i");
    check_limits<std::uint32_t>("I");
    check_limits<std::int64_t>("l");
    check_limits<std::uint64_t>("L");
    check_limits<float>("f");
    check_limits<double>("g");
  }

  TEST_CASE("halves become doubles") {
    CHECK(half_to_double(0x3C00) == 1.0);
    CHECK(half_to_double(0xC000) == -2.0);
    CHECK(half_to_double(0x7BFF) == 65504.0);
    CHECK(half_to_double(0x0001) == std::ldexp(1.0, -24));
    CHECK(half_to_double(0x0400) == std::ldexp(1.0, -14));
    CHECK(std::isinf(half_to_double(0x7C00)));
    CHECK(std::isnan(half_to_double(0x7E00)));
  }

  TEST_CASE("truth values are 1 and 0, or texts") {
    const Column column =
        ArrowColumn::bools("x", {true, false, std::nullopt, true});
    std::vector<double> numbers(4);

    values_of(column).copy_numbers(0, 4, numbers.data());

    CHECK(numbers[0] == 1.0);
    CHECK(numbers[1] == 0.0);
    CHECK(std::isnan(numbers[2]));
    CHECK(text_of(column, 0) == "True");
    CHECK(text_of(column, 1) == "False");
    CHECK(text_of(column, 2).empty());
  }

  TEST_CASE("a slice begins at its offset") {
    const Column numbers =
        ArrowColumn::doubles("x", {1.0, 2.0, std::nullopt, 4.0});
    const Column bools = ArrowColumn::bools("x", {true, false, true, false});
    const Column texts = ArrowColumn::texts("x", {"a", "b", "c", std::nullopt});
    for (const Column& column : {numbers, bools, texts}) column->set_offset(1);

    CHECK(text_of(numbers, 0) == "2");
    CHECK(text_of(numbers, 1).empty());
    CHECK(text_of(bools, 1) == "True");
    CHECK(text_of(texts, 1) == "c");
    CHECK(text_of(texts, 2).empty());
  }

  TEST_CASE("numbers become the shortest texts, and integers are exact") {
    CHECK(text_of(ArrowColumn::doubles("x", {0.1}), 0) == "0.1");
    CHECK(text_of(ArrowColumn::doubles("x", {std::nan("")}), 0).empty());
    CHECK(text_of(ArrowColumn::of<float>("x", "f", {0.1F}), 0) == "0.1");
    CHECK(text_of(ArrowColumn::of<std::int64_t>("x", "l", {9007199254740993}),
                  0) == "9007199254740993");
    CHECK(text_of(ArrowColumn::of<std::uint64_t>(
                      "x", "L", {std::numeric_limits<std::uint64_t>::max()}),
                  0) == "18446744073709551615");
  }

  TEST_CASE("decimals become texts with all their digits") {
    const Column cents = decimals("d:10,2", {12345, -7, 0, 100});
    CHECK(text_of(cents, 0) == "123.45");
    CHECK(text_of(cents, 1) == "-0.07");
    CHECK(text_of(cents, 2) == "0.00");
    CHECK(text_of(cents, 3) == "1.00");
    CHECK(text_of(decimals("d:10,0", {12}), 0) == "12");
    CHECK(text_of(decimals("d:10,-3", {12}), 0) == "12000");
    CHECK(
        text_of(decimals("d:38,0", {std::numeric_limits<std::int64_t>::min()}),
                0) == "-9223372036854775808");
    CHECK(text_of(ArrowColumn::of<std::int32_t>("x", "d:9,1,32", {-15}), 0) ==
          "-1.5");
  }

  TEST_CASE("dates and timestamps have the texts of CSV files") {
    const auto seconds = [](const char* format, std::int64_t count) {
      return text_of(ArrowColumn::of<std::int64_t>("x", format, {count}), 0);
    };

    CHECK(text_of(ArrowColumn::of<std::int32_t>("x", "tdD", {-1}), 0) ==
          "1969-12-31");
    CHECK(seconds("tdm", 86'400'000) == "1970-01-02");
    CHECK(seconds("tss:", 3600) == "1970-01-01 01:00:00");
    CHECK(seconds("tsm:UTC", 5250) == "1970-01-01 00:00:05.250Z");
    // The year has six digits, so the number is written.
    CHECK(seconds("tss:", 10'000'000'000'000) == "10000000000000");
    CHECK(text_of(ArrowColumn::of<std::int32_t>("x", "tdD", {std::nullopt}), 0)
              .empty());
  }

  TEST_CASE("texts of all layouts are read") {
    auto large = std::make_shared<ArrowColumn>("x", "U");
    large->set_valid(std::vector<std::optional<int>>{1, 1});
    large->add_buffer(std::vector<std::int64_t>{0, 2, 5});
    large->add_buffer(std::vector<char>{'a', 'b', 'c', 'd', 'e'});
    CHECK(text_of(large, 1) == "cde");

    auto views = std::make_shared<ArrowColumn>("x", "vu");
    views->set_valid(std::vector<std::optional<int>>{1, 1});
    std::vector<std::int32_t> words{3, 0, 0, 0, 14, 0, 0, 1};
    std::memcpy(&words[1], "red", 3);
    views->add_buffer(words);
    const std::string bytes = "-a longer text.";
    views->add_buffer(std::vector<char>(bytes.begin(), bytes.end()));
    CHECK(text_of(views, 0) == "red");
    CHECK(text_of(views, 1) == "a longer text.");
  }

  TEST_CASE("a dictionary gives the text of an index") {
    const Column column = ArrowColumn::of<std::int8_t>(
        "x", "c", {std::int8_t{1}, std::nullopt, std::int8_t{2}});
    column->set_dictionary(
        ArrowColumn::texts("", {"red", "green", std::nullopt}));

    CHECK(text_of(column, 0) == "green");
    CHECK(text_of(column, 1).empty());
    CHECK(text_of(column, 2).empty());
    CHECK(values_of(column).is_null(2));
  }

  TEST_CASE("vectors of Spark are dense or sparse") {
    const Column column = test::spark_vectors(
        "x", {-1, 3, 3}, {{}, {0, 2}, {3}}, {{1, 2, 3}, {4, 5}, {6}});
    const ArrowVectors vectors(*column->schema(), *column->array(), 0);
    std::vector<double> elements(3);

    CHECK(vectors.size(0) == 3);
    REQUIRE(vectors.copy(0, elements.data()));
    CHECK(elements == std::vector<double>{1, 2, 3});
    CHECK(vectors.size(1) == 3);
    REQUIRE(vectors.copy(1, elements.data()));
    CHECK(elements == std::vector<double>{4, 0, 5});
    CHECK_FALSE(vectors.copy(2, elements.data()));
  }
}

}  // namespace mlp::datasets::detail
