// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/json_string.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

std::string json_of(std::string_view text) {
  std::string json;
  mlp::append_json_string(json, text);
  return json;
}

}  // namespace

TEST_SUITE("mlp/model_file/json_string") {
  TEST_CASE("escapes quotes, backslashes and control characters alone") {
    CHECK(json_of("") == "\"\"");
    CHECK(json_of("a/b 'c' <d>") == "\"a/b 'c' <d>\"");
    CHECK(json_of("a\"b\\c") == R"("a\"b\\c")");
    CHECK(json_of("\b\f\n\r\t") == R"("\b\f\n\r\t")");
    CHECK(json_of(std::string_view("\0\x01\x1F\x7F", 4)) ==
          R"("\u0000\u0001\u001f\u007f")");
    CHECK(json_of("\xC3\xA9\xF0\x9F\x98\x80") ==
          "\"\xC3\xA9\xF0\x9F\x98\x80\"");
  }

  TEST_CASE("accepts the first and the last character of each UTF-8 form") {
    for (const std::string_view text :
         {std::string_view("\0", 1), std::string_view("\x7F"),
          std::string_view("\xC2\x80"), std::string_view("\xDF\xBF"),
          std::string_view("\xE0\xA0\x80"), std::string_view("\xED\x9F\xBF"),
          std::string_view("\xEE\x80\x80"), std::string_view("\xEF\xBF\xBF"),
          std::string_view("\xF0\x90\x80\x80"),
          std::string_view("\xF4\x8F\xBF\xBF")}) {
      CAPTURE(json_of(text));
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

  TEST_CASE("shows at most 40 bytes and never half a character") {
    const std::string long_text = std::string(39, 'a') + "\xC3\xA9";

    CHECK(mlp::shown_json_string("a\nb") == R"("a\nb")");
    CHECK(mlp::shown_json_string(std::string(40, 'a')) ==
          '"' + std::string(40, 'a') + '"');
    CHECK(mlp::shown_json_string(long_text) ==
          '"' + std::string(39, 'a') + "\"...");
    CHECK(mlp::shown_json_string("ab\xFFgh") == "\"ab\"...");
  }
}
