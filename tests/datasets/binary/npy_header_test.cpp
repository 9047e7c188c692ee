// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "../../../datasets/binary/npy.hpp"

namespace mlp::datasets::detail {

namespace {

/// A header of this version around a dictionary.
std::string npy_start(const std::string& dictionary, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  const int length_bytes = version == 1 ? 2 : 4;
  for (int i = 0; i < length_bytes; ++i) {
    bytes += static_cast<char>(dictionary.size() >> (8 * i) & 0xFFu);
  }
  return bytes + dictionary;
}

NpyHeader read(const std::string& dictionary) {
  return read_npy_header(npy_start(dictionary), "f.npy");
}

std::string of_type(const std::string& descr) {
  return "{'descr': '" + descr +
         "', 'fortran_order': False, 'shape': (3, 4), }";
}

std::string of_shape(const std::string& shape) {
  return "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + "}";
}

void check_refused(const std::string& dictionary, const std::string& sentence) {
  CHECK_THROWS_WITH_AS(read(dictionary), ("f.npy: " + sentence).c_str(),
                       DataError);
}

}  // namespace

TEST_SUITE("datasets/binary/npy_header") {
  TEST_CASE("reads the header that numpy writes") {
    const std::string bytes = npy_start(
        "{'descr': '>f4', 'fortran_order': True, 'shape': (150, 4), }     \n");

    const NpyHeader header = read_npy_header(bytes + "data", "f.npy");

    CHECK(header.type == ValueType::kFloat32);
    CHECK(header.byte_order == std::endian::big);
    CHECK(header.is_fortran_order);
    CHECK(header.shape == std::vector<std::uint64_t>{150, 4});
    CHECK(header.bytes == bytes.size());
  }

  TEST_CASE("reads versions two and three with their longer length") {
    for (const char version : {'\2', '\3'}) {
      const std::string bytes = npy_start(of_type("|u1"), version);
      CHECK(read_npy_header(bytes, "f").bytes == bytes.size());
    }
  }

  TEST_CASE("reads shapes of one dimension and of many") {
    CHECK(read(of_shape("(7,)")).shape == std::vector<std::uint64_t>{7});
    CHECK(read(of_shape("( 1,2 ,3)")).shape ==
          std::vector<std::uint64_t>{1, 2, 3});
  }

  TEST_CASE("accepts the keys in any order and both kinds of quotes") {
    CHECK(read("{\"shape\": (2,), \"descr\": \"<i8\","
               "\"fortran_order\": False}")
              .type == ValueType::kInt64);
  }

  TEST_CASE("refuses objects and says that they are a pickle") {
    check_refused(of_type("|O"),
                  "the array holds Python objects, which are a pickle: loading "
                  "one can run any code; expected plain numbers; convert it, "
                  "for example by x.astype(float)");
  }

  TEST_CASE("refuses records and types that are no numbers") {
    check_refused(
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}",
        "the array holds records; expected an array of plain numbers");
    check_refused(of_type("<c16"),
                  "the array is of the type '<c16'; expected f4, f8, or i or u "
                  "of 1, 2, 4 or 8 bytes");
    for (const char* const type : {"<U5", "|S3", "<f2", "", "f8", "|f8"}) {
      CHECK_THROWS_AS(read(of_type(type)), DataError);
    }
  }

  TEST_CASE("refuses missing and unknown and repeated keys") {
    check_refused("{'descr': '<f8'}",
                  "the header is incomplete; expected 'descr', 'fortran_order' "
                  "and 'shape'");
    check_refused("{'descr': '<f8', 'descr': '<f8'}",
                  "the header has the key 'descr'; expected 'descr', "
                  "'fortran_order' and 'shape', each once");
    check_refused("{'code': '<f8'}",
                  "the header has the key 'code'; expected 'descr', "
                  "'fortran_order' and 'shape', each once");
  }

  TEST_CASE("refuses broken syntax and shows where") {
    check_refused("", "the header is broken; expected '{', got ''");
    check_refused("{'descr' '<f8'}",
                  "the header is broken; expected ':', got ''<f8'}'");
    check_refused(of_shape("(-1,)"),
                  "the header is broken; expected a size, got '-1,)}'");
    check_refused(of_shape("(9223372036854775808,)"),
                  "the header is broken; expected a size, got "
                  "'9223372036854775808,)}'");
    check_refused(of_shape("(1,)") + " x",
                  "the header is broken; expected its end, got 'x'");
    check_refused("{'fortran_order': 1}",
                  "the header is broken; expected True or False, got '1}'");
    check_refused("{descr: 1}",
                  "the header is broken; expected a text in quotes, got "
                  "'descr: 1}'");
  }

  TEST_CASE("refuses a single number and an absurd count of dimensions") {
    check_refused(of_shape("()"),
                  "the array is a single number; expected one dimension or "
                  "two");
    std::string shape = "(";
    for (int i = 0; i < 65; ++i) shape += "1,";
    check_refused(of_shape(shape + ")"),
                  "too many dimensions; expected at most 64, got 65");
  }

  TEST_CASE("refuses other files and versions and every beginning") {
    const std::string whole = npy_start(of_type("<f8"));
    std::string newer = whole;
    newer[6] = 4;

    CHECK_THROWS_WITH_AS(
        read_npy_header("1,2", "f"),
        "f: is not a .npy file; expected it to start with \\x93NUMPY",
        DataError);
    CHECK_THROWS_WITH_AS(read_npy_header(newer, "f"),
                         "f: is of the .npy version 4; expected 1, 2 or 3",
                         DataError);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CHECK_THROWS_AS(read_npy_header(whole.substr(0, size), "f"), DataError);
    }
    CHECK_THROWS_WITH_AS(read_npy_header(whole.substr(0, 20), "f"),
                         ("f: the header ends too early; expected " +
                          std::to_string(whole.size()) + " bytes, got 20")
                             .c_str(),
                         DataError);
  }
}

}  // namespace mlp::datasets::detail
