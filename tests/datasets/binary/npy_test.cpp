// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/binary/npy.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace mlp::datasets {

namespace {

std::string npy_file(const std::string& descr, const std::string& shape,
                     const std::string& values, bool is_fortran = false) {
  const std::string dictionary =
      "{'descr': '" + descr +
      "', 'fortran_order': " + (is_fortran ? "True" : "False") +
      ", 'shape': " + shape + ", }\n";
  std::string bytes = std::string("\x93NUMPY\1\0", 8);
  bytes += static_cast<char>(dictionary.size());
  bytes += '\0';
  return bytes + dictionary + values;
}

/// The bytes of numbers on a little-endian machine.
template <typename Value>
std::string bytes_of(const std::vector<Value>& values) {
  std::string bytes(values.size() * sizeof(Value), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

void check_refused(const std::string& bytes, const std::string& sentence) {
  CHECK_THROWS_WITH_AS(read_npy(bytes, "f.npy"), ("f.npy: " + sentence).c_str(),
                       DataError);
}

}  // namespace

TEST_SUITE("datasets/binary/npy") {
  TEST_CASE("reads rows as instances in both memory orders") {
    const std::string values = bytes_of<double>({1, 2, 3, 4, 5, 6});

    const Dataset c_order = read_npy(npy_file("<f8", "(3, 2)", values), "f");
    const Dataset fortran =
        read_npy(npy_file("<f8", "(3, 2)", values, true), "f");

    CHECK(c_order.features == Matrix{{1, 3, 5}, {2, 4, 6}});
    CHECK(fortran.features == Matrix{{1, 2, 3}, {4, 5, 6}});
    CHECK(c_order.source == "f");
  }

  TEST_CASE("reads floats of four bytes and integers") {
    CHECK(read_npy(npy_file("<f4", "(1, 2)", bytes_of<float>({0.5f, -2})), "f")
              .features == Matrix{{0.5}, {-2}});
    CHECK(read_npy(npy_file("|i1", "(1, 2)", "\x7F\xFF"), "f").features ==
          Matrix{{127}, {-1}});
    CHECK(read_npy(npy_file(">i2", "(1, 1)", "\1\2"), "f").features ==
          Matrix{{258}});
    CHECK(read_npy(npy_file("<i8", "(1, 1)", bytes_of<std::int64_t>({-9})), "f")
              .features == Matrix{{-9}});
  }

  TEST_CASE("reads big-endian numbers in both memory orders") {
    std::string halves;
    for (const int number : {1, 2, 3, -4, 5, 258}) {
      halves += static_cast<char>(number >> 8 & 255);
      halves += static_cast<char>(number & 255);
    }
    std::string doubles;
    for (const double number : {0.5, -2.0, 3.0, 1e300}) {
      const std::string bytes = bytes_of<double>({number});
      doubles.append(bytes.rbegin(), bytes.rend());
    }

    CHECK(read_npy(npy_file(">i2", "(3, 2)", halves, true), "f").features ==
          Matrix{{1, 2, 3}, {-4, 5, 258}});
    CHECK(read_npy(npy_file(">i2", "(3, 2)", halves), "f").features ==
          Matrix{{1, 3, 5}, {2, -4, 258}});
    CHECK(read_npy(npy_file(">f8", "(2, 2)", doubles, true), "f").features ==
          Matrix{{0.5, -2.0}, {3.0, 1e300}});
    CHECK(read_npy(npy_file(">f8", "(2, 2)", doubles), "f").features ==
          Matrix{{0.5, 3.0}, {-2.0, 1e300}});
  }

  TEST_CASE("reads labels of one dimension or of one column") {
    CHECK(read_npy_labels(npy_file("|u1", "(3,)", "\2\1\3"), "f") ==
          Eigen::Vector3d(2, 1, 3));
    CHECK(read_npy_labels(npy_file("|u1", "(3, 1)", "\2\1\3"), "f") ==
          Eigen::Vector3d(2, 1, 3));
    CHECK_THROWS_WITH_AS(
        read_npy_labels(npy_file("|u1", "(1, 3)", "\2\1\3"), "f"),
        "f: expected labels in one dimension, got an array of 2 dimensions",
        DataError);
  }

  TEST_CASE("refuses features of another number of dimensions") {
    check_refused(npy_file("|u1", "(3,)", "\1\2\3"),
                  "expected an array of two dimensions, instances by features, "
                  "got 1; reshape it, for example by x.reshape(len(x), -1)");
    check_refused(npy_file("|u1", "(1, 1, 3)", "\1\2\3"),
                  "expected an array of two dimensions, instances by features, "
                  "got 3; reshape it, for example by x.reshape(len(x), -1)");
  }

  TEST_CASE("refuses empty arrays") {
    check_refused(npy_file("<f8", "(0, 4)", ""),
                  "the array is empty; expected at least one instance and one "
                  "feature, got 0 instances of 4 features");
  }

  TEST_CASE("refuses a shape that does not fit the bytes present") {
    check_refused(npy_file("|u1", "(2, 2)", "\1\2\3"),
                  "the file's size does not fit the shape in its header; "
                  "expected 4 bytes of numbers, got 3");
    check_refused(npy_file("|u1", "(2, 2)", "\1\2\3\4\5"),
                  "the file's size does not fit the shape in its header; "
                  "expected 4 bytes of numbers, got 5");
  }

  TEST_CASE("refuses shapes that overflow before it takes memory") {
    check_refused(npy_file("|u1", "(1, 2147483648)", "\1"),
                  "too many features; expected at most 1048576, got "
                  "2147483648");
    check_refused(npy_file("|u1", "(9223372036854775807, 1048576)", "\1"),
                  "too many values; expected at most 1099511627776 bytes of "
                  "them, got 9223372036854775807 instances of 1048576 "
                  "features");
    check_refused(npy_file("<f8", "(2147483648, 4)", "\1"),
                  "the file's size does not fit the shape in its header; "
                  "expected 68719476736 bytes of numbers, got 1");
  }

  TEST_CASE("refuses numbers that are not finite and names the row") {
    const auto infinity = std::numeric_limits<double>::infinity();

    check_refused(
        npy_file("<f8", "(2, 2)", bytes_of<double>({1, 2, 3, -infinity})),
        "expected finite numbers, got -Infinity in row 2, column 2 "
        "(both counted from 1)");
  }

  TEST_CASE("refuses every beginning of a file") {
    const std::string whole = npy_file("|u1", "(2, 2)", "\1\2\3\4");

    for (std::size_t size = 0; size < whole.size(); ++size) {
      CHECK_THROWS_AS(read_npy(whole.substr(0, size), "f"), DataError);
    }
  }
}

}  // namespace mlp::datasets
