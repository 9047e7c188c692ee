// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/utf8.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using mlp::printable;

TEST_SUITE("core/utf8") {
  TEST_CASE("tells bytes of ASCII from others whatever the sign of char is") {
    CHECK(mlp::is_ascii_byte('\0'));
    CHECK(mlp::is_ascii_byte('\x7F'));
    CHECK(!mlp::is_ascii_byte('\x80'));
    CHECK(!mlp::is_ascii_byte('\xFF'));
  }

  TEST_CASE("accepts the first and the last character of each UTF-8 form") {
    for (const std::string_view text :
         {std::string_view("\0", 1), std::string_view("\x7F"),
          std::string_view("\xC2\x80"), std::string_view("\xDF\xBF"),
          std::string_view("\xE0\xA0\x80"), std::string_view("\xED\x9F\xBF"),
          std::string_view("\xEE\x80\x80"), std::string_view("\xEF\xBF\xBF"),
          std::string_view("\xF0\x90\x80\x80"),
          std::string_view("\xF4\x8F\xBF\xBF")}) {
      CAPTURE(text.size());
      CHECK(mlp::is_utf8(text));
    }
  }

  TEST_CASE("refuses what only resembles UTF-8") {
    for (const std::string_view text :
         {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x7F",
          "\xE0\x9F\xBF", "\xE1\x80", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
          "\xF1\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF",
          "valid then \xE9"}) {
      CAPTURE(text.size());
      CHECK_FALSE(mlp::is_utf8(text));
    }
  }

  TEST_CASE("gives the length of the first character or 0") {
    CHECK(mlp::utf8_character_bytes("") == 0);
    CHECK(mlp::utf8_character_bytes("ab") == 1);
    CHECK(mlp::utf8_character_bytes("\xC3\xA9z") == 2);
    CHECK(mlp::utf8_character_bytes("\xE2\x82\xAC") == 3);
    CHECK(mlp::utf8_character_bytes("\xF0\x9F\x98\x80") == 4);
    CHECK(mlp::utf8_character_bytes("\xF0\x9F\x98") == 0);
  }

  TEST_CASE("ends a prefix before a byte that is wrong or a character cut") {
    CHECK(mlp::utf8_prefix("") == "");
    CHECK(mlp::utf8_prefix("a\xC3\xA9") == "a\xC3\xA9");
    CHECK(mlp::utf8_prefix("a\xC3\xA9\xC3") == "a\xC3\xA9");
    CHECK(mlp::utf8_prefix("ab\xFFgh") == "ab");
  }

  TEST_CASE("tells bytes that continue a character from those that start one") {
    for (const char byte : {'\x80', '\xBF'}) {
      CHECK(mlp::is_utf8_continuation(byte));
    }
    for (const char byte : {'a', '\0', '\x7F', '\xC0', '\xFF'}) {
      CHECK_FALSE(mlp::is_utf8_continuation(byte));
    }
  }

  TEST_CASE("copies texts of every script") {
    const std::string text =
        "a b~ \xC3\xA9 \xC2\xA0 \xE2\x82\xAC \xF0\x9F\x98\x80 C:\\x";

    CHECK(printable(text) == text);
    CHECK(printable("").empty());
  }

  TEST_CASE("escapes what controls a terminal") {
    CHECK(printable("\x1B[31mred\n\t\x7F") == R"(\x1b[31mred\x0a\x09\x7f)");
    CHECK(printable(std::string(1, '\0')) == R"(\x00)");
    CHECK(printable("\xC2\x80\xC2\x9F") == R"(\u0080\u009f)");
  }

  TEST_CASE("escapes what changes the direction or ends a line") {
    CHECK(printable("\xE2\x80\x8E\xE2\x80\x8F") == R"(\u200e\u200f)");
    CHECK(printable("\xE2\x80\xAA\xE2\x80\xAE") == R"(\u202a\u202e)");
    CHECK(printable("\xE2\x81\xA6\xE2\x81\xA9") == R"(\u2066\u2069)");
    CHECK(printable("\xD8\x9C\xE2\x80\xA8\xE2\x80\xA9") ==
          R"(\u061c\u2028\u2029)");
  }

  TEST_CASE("keeps the characters beside those that it escapes") {
    const std::string text =
        "\xE2\x80\x8D\xE2\x80\x90\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA";

    CHECK(printable(text) == text);
  }

  TEST_CASE("escapes bytes that are not UTF-8") {
    CHECK(printable("caf\xE9!") == R"(caf\xe9!)");
    CHECK(printable("\x9B[2J") == R"(\x9b[2J)");
    CHECK(printable("\xE2\x80") == R"(\xe2\x80)");
  }

  TEST_CASE("changes nothing in a text that is printable already") {
    const std::string once = printable("a\x1B\xE2\x80\xAE");

    CHECK(printable(once) == once);
  }
}
