// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/arrow/arrow_type.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "arrow_memory.hpp"

namespace mlp::datasets::detail {

namespace {

ArrowType type_of(const std::string& format) {
  test::ArrowColumn column("x", format);
  return arrow_type(*column.schema());
}

}  // namespace

TEST_SUITE("datasets/arrow/arrow_type") {
  TEST_CASE("tells numbers from other values") {
    for (const char* const format :
         {"b", "c", "C", "s", "S", "i", "I", "l", "L", "e", "f", "g"}) {
      CAPTURE(format);
      CHECK(type_of(format).is_number());
    }
    for (const char* const format : {"u", "U", "vu", "n", "d:10,2"}) {
      CAPTURE(format);
      CHECK(type_of(format).is_value());
      CHECK_FALSE(type_of(format).is_number());
    }
  }

  TEST_CASE("names what is neither a number nor a text") {
    CHECK(type_of("tdD").what == "dates");
    CHECK(type_of("tdD").kind == ArrowKind::kDate32);
    CHECK(type_of("tdm").kind == ArrowKind::kDate64);
    CHECK(type_of("tsu:").kind == ArrowKind::kTimestamp);
    CHECK(type_of("tsu:").scale == 6);
    CHECK_FALSE(type_of("tsu:").is_utc);
    CHECK(type_of("tsn:UTC").is_utc);
    CHECK(type_of("tsu:UTC").what == "timestamps");
    CHECK(type_of("ttm").what == "times of days");
    CHECK(type_of("tDs").what == "durations");
    CHECK(type_of("z").what == "bytes");
    CHECK(type_of("w:16").what == "bytes");
    CHECK(type_of("+l").what == "lists");
    CHECK(type_of("+s").what == "structures");
    CHECK(type_of("+m").what == "maps");
    CHECK(type_of("+ud:0,1").what == "values of another kind");
    CHECK_FALSE(type_of("tdD").is_value());
  }

  TEST_CASE("reads the scale and the size of decimals") {
    CHECK(type_of("d:10,2").scale == 2);
    CHECK(type_of("d:10,2").decimal_bits == 128);
    CHECK(type_of("d:5,-3,32").scale == -3);
    CHECK(type_of("d:5,-3,32").decimal_bits == 32);
    CHECK(type_of("d:60,2,256").decimal_bits == 256);
    CHECK(type_of("d:60,2,512").kind == ArrowKind::kOther);
    CHECK(type_of("d:1").kind == ArrowKind::kOther);
    CHECK(type_of("d:1,99999").kind == ArrowKind::kOther);
  }

  TEST_CASE("says what the values of a column are") {
    CHECK(type_of("n").describe() == "no values");
    CHECK(type_of("b").describe() == "truth values");
    CHECK(type_of("d:10,2").describe() == "numbers");
    CHECK(type_of("vu").describe() == "texts");
    CHECK(type_of("+l").describe() == "lists");
  }

  TEST_CASE("a dictionary has the type of its values") {
    const auto column = test::ArrowColumn::of<std::int8_t>("x", "c", {});
    column->set_dictionary(test::ArrowColumn::texts("", {}));

    CHECK(arrow_type(*column->schema()).kind == ArrowKind::kText);
  }

  TEST_CASE("knows the vectors of Spark") {
    const auto vectors = test::spark_vectors("x", {-1}, {{}}, {{1.0}});
    CHECK(arrow_type(*vectors->schema()).kind == ArrowKind::kVector);

    test::ArrowColumn other("x", "+s");
    other.add_child(test::ArrowColumn::doubles("type", {1.0}));
    CHECK(arrow_type(*other.schema()).what == "structures");
  }
}

}  // namespace mlp::datasets::detail
