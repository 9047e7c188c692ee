// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/json_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using mlp::json_string;

TEST_SUITE("core/json_text") {
  TEST_CASE("escapes quotes, backslashes and control characters alone") {
    CHECK(json_string("") == "\"\"");
    CHECK(json_string("a/b 'c' <d>") == "\"a/b 'c' <d>\"");
    CHECK(json_string("a\"b\\c") == R"("a\"b\\c")");
    CHECK(json_string("\b\f\n\r\t") == R"("\b\f\n\r\t")");
    CHECK(json_string(std::string_view("\0\x01\x1F\x7F", 4)) ==
          R"("\u0000\u0001\u001f\u007f")");
    CHECK(json_string("\xC3\xA9\xF0\x9F\x98\x80") ==
          "\"\xC3\xA9\xF0\x9F\x98\x80\"");
  }

  TEST_CASE("replaces each byte that is no UTF-8 by one character") {
    CHECK(json_string("a\xFFz") == "\"a\xEF\xBF\xBDz\"");
    CHECK(json_string("\xC3") == "\"\xEF\xBF\xBD\"");
    CHECK(json_string("\xC0\x80\xC3\xA9") ==
          "\"\xEF\xBF\xBD\xEF\xBF\xBD\xC3\xA9\"");
  }

  TEST_CASE("appends behind what is there") {
    std::string json = "[";

    mlp::append_json_string(json, "a\n");

    CHECK(json == R"(["a\n")");
  }

  TEST_CASE("shows at most 40 bytes and never half a character") {
    std::string long_text(39, 'a');
    long_text += "\xC3\xA9";

    CHECK(mlp::shown_json_string("a\nb") == R"("a\nb")");
    CHECK(mlp::shown_json_string(std::string(40, 'a')) ==
          '"' + std::string(40, 'a') + '"');
    CHECK(mlp::shown_json_string(long_text) ==
          '"' + std::string(39, 'a') + "\"...");
    CHECK(mlp::shown_json_string("ab\xFFgh") == "\"ab\"...");
  }
}
