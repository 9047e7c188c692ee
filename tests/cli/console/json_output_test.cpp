// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/console/json_output.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using mlp::cli::json_text;
using mlp::cli::JsonObject;

TEST_SUITE("cli/console/json_output") {
  TEST_CASE("writes numbers as the shortest text that reads back") {
    CHECK(json_text(0.1) == "0.1");
    CHECK(json_text(1.0) == "1");
    CHECK(json_text(0.9523809523809523) == "0.9523809523809523");
    CHECK(json_text(-7) == "-7");
    CHECK(json_text(true) == "true");
  }

  TEST_CASE("writes what is no number as a string") {
    const double infinity = std::numeric_limits<double>::infinity();

    CHECK(json_text(std::numeric_limits<double>::quiet_NaN()) == "\"NaN\"");
    CHECK(json_text(infinity) == "\"Infinity\"");
    CHECK(json_text(-infinity) == "\"-Infinity\"");
  }

  TEST_CASE("escapes texts") {
    CHECK(json_text("a\"b\\c") == "\"a\\\"b\\\\c\"");
    CHECK(json_text(std::string("\n\x01")) == "\"\\n\\u0001\"");
    CHECK(json_text("\xC3\xA9") == "\"\xC3\xA9\"");
  }

  TEST_CASE("replaces bytes that are no UTF-8") {
    for (const std::string bytes :
         {"\xFF", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80"}) {
      const std::string json = json_text(std::string_view(bytes));

      CHECK(nlohmann::json::accept(json));
      CHECK(json.find("\xEF\xBF\xBD") != std::string::npos);
    }
  }

  TEST_CASE("round trips through another reader") {
    JsonObject object;
    object.add("texts", std::vector<std::string>{"a", "b,\"c\""})
        .add("numbers", std::vector<double>{1.5, -2e-300})
        .add_json("none", "null");

    const auto parsed = nlohmann::json::parse(object.text());

    CHECK(parsed["texts"][1] == "b,\"c\"");
    CHECK(parsed["numbers"][1] == -2e-300);
    CHECK(parsed["none"].is_null());
  }
}
