// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/binary/idx.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mlp::datasets {

namespace {

/// An idx file with these dimensions and bytes behind them.
std::string idx_file(char type, const std::vector<std::uint32_t>& dimensions,
                     const std::string& values) {
  std::string bytes("\0\0", 2);
  bytes += type;
  bytes += static_cast<char>(dimensions.size());
  for (const std::uint32_t size : dimensions) {
    for (const unsigned shift : {24u, 16u, 8u, 0u}) {
      bytes += static_cast<char>(size >> shift & 0xFFu);
    }
  }
  return bytes + values;
}

void check_refused(const std::string& bytes, const std::string& sentence) {
  CHECK_THROWS_WITH_AS(read_idx(bytes, "f.idx"), ("f.idx: " + sentence).c_str(),
                       DataError);
}

constexpr char kUbyte = 0x08;

}  // namespace

TEST_SUITE("datasets/binary/idx") {
  TEST_CASE("reads two images of two by two pixels") {
    const Dataset data =
        read_idx(idx_file(kUbyte, {2, 2, 2}, "\1\2\3\4\xFF\6\7\x8"), "f.idx");

    CHECK(data.features == Matrix{{1, 255}, {2, 6}, {3, 7}, {4, 8}});
    CHECK(data.source == "f.idx");
    CHECK_FALSE(data.has_labels());
    CHECK(data.lines.empty());
  }

  TEST_CASE("reads one dimension as one feature and four as flattened") {
    CHECK(read_idx(idx_file(kUbyte, {3}, "\1\2\3"), "f").features ==
          Matrix{{1, 2, 3}});
    CHECK(read_idx(idx_file(kUbyte, {1, 2, 1, 2}, "\1\2\3\4"), "f").features ==
          Matrix{{1}, {2}, {3}, {4}});
  }

  TEST_CASE("reads each type with the high byte first") {
    CHECK(read_idx(idx_file(0x09, {1}, "\xFF"), "f").features(0) == -1);
    CHECK(read_idx(idx_file(0x0B, {1}, "\1\2"), "f").features(0) == 258);
    CHECK(read_idx(idx_file(0x0C, {1}, std::string("\0\1\0\0", 4)), "f")
              .features(0) == 65536);
    CHECK(read_idx(idx_file(0x0D, {1}, std::string("\x3F\xC0\0\0", 4)), "f")
              .features(0) == 1.5);
    CHECK(read_idx(idx_file(0x0E, {1}, std::string("\x3F\xF8\0\0\0\0\0\0", 8)),
                   "f")
              .features(0) == 1.5);
  }

  TEST_CASE("reads labels in one dimension") {
    CHECK(read_idx_labels(idx_file(kUbyte, {3}, "\7\2\1"), "f") ==
          Eigen::Vector3d(7, 2, 1));
    CHECK_THROWS_WITH_AS(
        read_idx_labels(idx_file(kUbyte, {1, 2}, "\1\2"), "f"),
        "f: expected labels in one dimension, got 2 dimensions", DataError);
  }

  TEST_CASE("states the size of the whole file from its header") {
    const std::string header = idx_file(kUbyte, {10000, 28, 28}, "");

    CHECK(read_idx_header(header, "f").file_bytes == 16 + 7840000);
    CHECK(read_idx_header(header, "f").num_features() == 784);
  }

  TEST_CASE("knows an idx file by its first bytes") {
    CHECK(is_idx(idx_file(kUbyte, {1}, "x")));
    CHECK_FALSE(is_idx("1,2,3"));
    CHECK_FALSE(is_idx(std::string("\0\0\x0A\1", 4)));
    CHECK_FALSE(is_idx(std::string("\0\0\x08\0", 4)));
  }

  TEST_CASE("refuses other files") {
    check_refused("",
                  "is not an idx file; expected the bytes 0, 0, a type of 8, 9 "
                  "or 11 to 14, and a number of dimensions");
    check_refused(idx_file(0x0A, {1}, "x"),
                  "is not an idx file; expected the bytes 0, 0, a type of 8, 9 "
                  "or 11 to 14, and a number of dimensions");
  }

  TEST_CASE("refuses every beginning of a file and a byte too many") {
    const std::string whole = idx_file(kUbyte, {2, 2}, "\1\2\3\4");

    for (std::size_t size = 0; size < whole.size(); ++size) {
      CHECK_THROWS_AS(read_idx(whole.substr(0, size), "f"), DataError);
    }
    check_refused(whole.substr(0, 8),
                  "the header ends too early; expected 12 bytes, got 8");
    check_refused(whole + "x",
                  "the file's size does not fit its header; expected 16 bytes, "
                  "got 17");
  }

  TEST_CASE("refuses dimensions of zero") {
    check_refused(idx_file(kUbyte, {0, 28, 28}, ""),
                  "dimension 1 is 0; expected 1 or more");
    check_refused(idx_file(kUbyte, {2, 0}, ""),
                  "dimension 2 is 0; expected 1 or more");
  }

  TEST_CASE("refuses dimensions that overflow before it takes memory") {
    const std::uint32_t half = 1u << 31;
    const std::uint32_t most = 0xFFFFFFFFu;

    check_refused(idx_file(kUbyte, {1, half}, "x"),
                  "too many features; expected at most 1048576, got "
                  "2147483648");
    check_refused(idx_file(kUbyte, {1, most, most, most}, "x"),
                  "too many features; expected at most 1048576, got "
                  "18446744073709551615");
    check_refused(idx_file(kUbyte, {most, 1u << 20}, "x"),
                  "too many values; expected at most 1099511627776 bytes of "
                  "them, got 4294967295 instances of 1048576 features");
    check_refused(idx_file(kUbyte, {half}, "x"),
                  "the file's size does not fit its header; expected "
                  "2147483656 bytes, got 9");
  }

  TEST_CASE("refuses numbers that are not finite") {
    check_refused(
        idx_file(0x0D, {2, 1}, std::string("\0\0\0\0\x7F\x80\0\0", 8)),
        "expected finite numbers, got Infinity in row 2, column 1 (both "
        "counted from 1)");
  }
}

}  // namespace mlp::datasets
