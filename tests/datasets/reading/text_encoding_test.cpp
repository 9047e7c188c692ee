// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/text_encoding.hpp"

#include <doctest/doctest.h>

#include <string>

using mlp::DataError;
using namespace mlp::datasets::detail;
using namespace std::string_literals;

namespace {

std::string decoded(std::string bytes) {
  decode_text(bytes, "f.csv");
  return bytes;
}

}  // namespace

TEST_SUITE("datasets/reading/text_encoding") {
  TEST_CASE("finds UTF-16 by its mark or by zero bytes") {
    CHECK(find_encoding("\xFF\xFE"s) == TextEncoding::kUtf16Little);
    CHECK(find_encoding("\xFE\xFF"s) == TextEncoding::kUtf16Big);
    CHECK(find_encoding("a\0,\0"s) == TextEncoding::kUtf16Little);
    CHECK(find_encoding("\0a\0,"s) == TextEncoding::kUtf16Big);
    CHECK(find_encoding("a,b\n"s) == TextEncoding::kUtf8);
    CHECK(find_encoding("\0\0\x08\x03"s) == TextEncoding::kUtf8);
    CHECK(find_encoding(""s) == TextEncoding::kUtf8);
  }

  TEST_CASE("converts UTF-16 of both orders, also beyond 16 bits") {
    const std::string text = "a\u00E9\u20AC\U0001F600\n";

    CHECK(decoded("\xFF\xFE"
                  "a\0\xE9\0\xAC\x20\x3D\xD8\x00\xDE\n\0"s) == text);
    CHECK(decoded("\0a\0\xE9\x20\xAC\xD8\x3D\xDE\x00\0\n"s) == text);
  }

  TEST_CASE("refuses half a character") {
    CHECK_THROWS_WITH_AS(
        decoded("a\0b\0c"s),
        "f.csv: is UTF-16, but has an odd number of bytes, 5; expected two for "
        "each character; the file is probably cut off",
        DataError);
    CHECK_THROWS_WITH_AS(decoded("a\0b\0\x3D\xD8z\0"s),
                         "f.csv: is not UTF-16 at byte 4; expected UTF-8 or "
                         "UTF-16; convert the file with iconv",
                         DataError);
  }

  TEST_CASE("replaces CR where no line ends with LF") {
    CHECK(decoded("a,b\r1,2\r") == "a,b\n1,2\n");
    CHECK(decoded("a,b\r\n1,2\r\n") == "a,b\r\n1,2\r\n");
    CHECK(decoded("a,\"x\ry\"\n") == "a,\"x\ry\"\n");
  }
}
