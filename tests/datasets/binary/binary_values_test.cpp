// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/binary/binary_values.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstddef>
#include <limits>
#include <string>

namespace mlp::datasets::detail {

namespace {

double decode_one(ValueType type, std::endian order, const std::string& bytes) {
  REQUIRE(bytes.size() == value_bytes(type));
  Matrix value(1, 1);
  decode_values(bytes, BinaryLayout{type, order, 1, 1, false}, value);
  return value(0, 0);
}

constexpr auto kLittle = std::endian::little;
constexpr auto kBig = std::endian::big;

}  // namespace

TEST_SUITE("datasets/binary/binary_values") {
  TEST_CASE("decodes integers of each size and sign") {
    CHECK(decode_one(ValueType::kUint8, kLittle, "\xFE") == 254);
    CHECK(decode_one(ValueType::kInt8, kLittle, "\xFE") == -2);
    CHECK(decode_one(ValueType::kUint16, kLittle, "\x01\x80") == 32769);
    CHECK(decode_one(ValueType::kInt16, kBig, "\xFF\xFE") == -2);
    CHECK(decode_one(ValueType::kUint32, kLittle, "\xFF\xFF\xFF\xFF") ==
          4294967295.0);
    CHECK(decode_one(ValueType::kInt32, kBig, "\xFF\xFF\xFF\xFD") == -3);
    CHECK(decode_one(ValueType::kUint64, kBig,
                     std::string("\x80\0\0\0\0\0\0\0", 8)) == 0x1p63);
    CHECK(decode_one(ValueType::kInt64, kBig,
                     std::string("\x80\0\0\0\0\0\0\0", 8)) == -0x1p63);
  }

  TEST_CASE("decodes floats in both byte orders") {
    CHECK(decode_one(ValueType::kFloat32, kLittle,
                     std::string("\0\0\xC0\xBF", 4)) == -1.5);
    CHECK(decode_one(ValueType::kFloat32, kBig,
                     std::string("\xBF\xC0\0\0", 4)) == -1.5);
    CHECK(decode_one(ValueType::kFloat64, kLittle,
                     std::string("\0\0\0\0\0\0\xF8\x3F", 8)) == 1.5);
    CHECK(decode_one(ValueType::kFloat64, kBig,
                     std::string("\x3F\xF8\0\0\0\0\0\0", 8)) == 1.5);
  }

  TEST_CASE("lays values out by instance or by feature") {
    Matrix by_instance(2, 3);
    Matrix by_feature(2, 3);

    decode_values("\1\2\3\4\5\6",
                  BinaryLayout{ValueType::kUint8, kLittle, 2, 3, false},
                  by_instance);
    decode_values("\1\2\3\4\5\6",
                  BinaryLayout{ValueType::kUint8, kLittle, 2, 3, true},
                  by_feature);

    CHECK(by_instance == Matrix{{1, 3, 5}, {2, 4, 6}});
    CHECK(by_feature == Matrix{{1, 2, 3}, {4, 5, 6}});
  }

  TEST_CASE("accepts finite numbers and names row and column of others") {
    Matrix values = Matrix::Ones(3, 4);
    CHECK_NOTHROW(check_finite(values, "f"));

    values(2, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS(check_finite(values, "f"),
                         "f: expected finite numbers, got NaN in row 2, column "
                         "3 (both counted from 1)",
                         DataError);

    values(0, 0) = -std::numeric_limits<double>::infinity();
    CHECK_THROWS_WITH_AS(check_finite(values, "f"),
                         "f: expected finite numbers, got -Infinity in row 1, "
                         "column 1 (both counted from 1)",
                         DataError);
  }

  TEST_CASE("reads the same whatever the number of threads") {
    constexpr Index kNumInstances = 70001;
    std::string bytes(static_cast<std::size_t>(kNumInstances) * 7 * 4, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<char>(i * i % 61);
    }
    for (const ValueType type : {ValueType::kFloat32, ValueType::kInt32}) {
      for (const bool is_feature_major : {false, true}) {
        const BinaryLayout layout{type, kLittle, 7, kNumInstances,
                                  is_feature_major};
        Matrix expected(7, kNumInstances);
        decode_values(bytes, layout, expected);

        CHECK(read_binary_values(bytes, layout, "f", 1) == expected);
        CHECK(read_binary_values(bytes, layout, "f", 3) == expected);
      }
    }
  }

  TEST_CASE("releases bytes that it has decoded, if it may") {
    constexpr Index kNumInstances = 500000;
    for (const bool is_feature_major : {false, true}) {
      std::string bytes(static_cast<std::size_t>(2 * kNumInstances) * 8, 'x');
      const BinaryLayout layout{ValueType::kFloat64, kLittle, 2, kNumInstances,
                                is_feature_major};
      const Matrix expected = read_binary_values(bytes, layout, "f", 1);
      std::string consumed = bytes;

      const Matrix values =
          read_binary_values(consumed, layout, "f", 3, {}, consumed.data());

      CHECK(values == expected);
      CHECK((consumed == bytes) == is_feature_major);
      CHECK(consumed.back() == 'x');
    }
  }

  TEST_CASE("refuses the first non-finite number whoever meets it") {
    constexpr Index kNumInstances = 500000;
    std::string bytes(static_cast<std::size_t>(kNumInstances) * 8, '\0');
    const BinaryLayout layout{ValueType::kFloat64, kLittle, 1, kNumInstances,
                              false};
    for (const std::size_t row : {400000u, 200000u, 7u}) {
      bytes[row * 8 + 6] = '\xF0';
      bytes[row * 8 + 7] = '\x7F';
      CHECK_THROWS_WITH_AS(
          read_binary_values(bytes, layout, "f", 3),
          ("f: expected finite numbers, got Infinity in row " +
           std::to_string(row + 1) + ", column 1 (both counted from 1)")
              .c_str(),
          DataError);
    }
  }
}

}  // namespace mlp::datasets::detail
