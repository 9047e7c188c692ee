// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/weights_cut.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../mlp/model_file/json_sax.hpp"
#include "../../thrown_message.hpp"

namespace mlp::detail {

namespace {

std::string json_of(const std::string& data) {
  return "{\"weights\":{\n\"data\"" + data + ",\n\"x\":1}}";
}

/// What the parser says to a document.
///
/// \param has_cut  the parser does not see the weights
std::string refusal(const std::string& json, bool has_cut) {
  ParsedModel parsed;
  const auto cut = cut_weights(json);
  REQUIRE((cut.has_value() || !has_cut));
  ModelJsonSax sax(json, "m.json", parsed, has_cut ? &*cut : nullptr);
  return test::thrown_message<ModelError>([&] {
    nlohmann::json::sax_parse(has_cut ? cut->rest_of(json) : json, &sax);
  });
}

/// The numbers that the parser reads from an array.
std::vector<std::uint64_t> parsed_bits(const std::string& data) {
  const std::string json = json_of(data);
  ParsedModel parsed;
  ModelJsonSax sax(json, "m.json", parsed);
  CHECK_THROWS_AS(nlohmann::json::sax_parse(json, &sax), ModelError);
  std::vector<std::uint64_t> bits;
  for (const auto& number : parsed.root.at("weights").at("data")) {
    bits.push_back(std::bit_cast<std::uint64_t>(number.get<double>()));
  }
  return bits;
}

/// What stands behind the name of the weights, and is not cut out.
constexpr const char* kLeftToTheParser[] = {"",
                                            "[1]",
                                            ":",
                                            ":1",
                                            ":{}",
                                            ":[",
                                            ":[1",
                                            ":[1,",
                                            ":[]",
                                            ":[1,]",
                                            ":[,1]",
                                            ":[1 2]",
                                            ":[ 1]",
                                            " :[1]",
                                            ":[01]",
                                            ":[-01.5]",
                                            ":[-]",
                                            ":[+1]",
                                            ":[.5]",
                                            ":[5.]",
                                            ":[5.e1]",
                                            ":[1e]",
                                            ":[1e+]",
                                            ":[1e5.5]",
                                            ":[1.5.5]",
                                            ":[0x10]",
                                            ":[-0]",
                                            ":[-0e1]",
                                            ":[1e400]",
                                            ":[1e-400]",
                                            ":[nan]",
                                            ":[inf]",
                                            ":[-inf]",
                                            ":[\"1\"]",
                                            ":[[1]]",
                                            ":[1}",
                                            ":\"AAAA",
                                            ":\"AAAA\"",
                                            ":\"\\u0041AAAAAAA8D8=\"",
                                            ":\"AAAAAAAA8D8= \""};

}  // namespace

TEST_SUITE("mlp/model_file/weights_cut") {
  TEST_CASE("reads numbers to the last bit as the parser does") {
    for (const char* data :
         {":[0]", ":[1,2.5,-3e10]", ":[-0.0]", ":[-0.0e1,5]", ":[5e-324]",
          ":[18446744073709551615]", ":[18446744073709551616]",
          ":[-9223372036854775809]", ":[9007199254740993]", ":[1e5]", ":[1E+5]",
          ":[1.5e-7]", ":[0.1234567890123456789012345678901234567]",
          ":[1.7976931348623157e308,0.30000000000000004]"}) {
      CAPTURE(data);
      const auto cut = cut_weights(json_of(data));
      std::vector<std::uint64_t> bits;

      REQUIRE(cut);
      for (const double number : cut->numbers) {
        bits.push_back(std::bit_cast<std::uint64_t>(number));
      }

      CHECK(bits == parsed_bits(data));
    }
  }

  TEST_CASE("leaves to the parser what it may refuse or read otherwise") {
    for (const char* data : kLeftToTheParser) {
      CAPTURE(data);
      CHECK_FALSE(cut_weights("{\"data\"" + std::string(data)));
    }
    double number = 0.0;
    CHECK(read_json_number("", number) == 0);
    CHECK(read_json_number("2.5e", number) == 3);
  }

  TEST_CASE("takes an array or a string out of the text") {
    const std::string start = "{\"weights\":{\"data\":";
    const auto array = cut_weights(start + "[1.5,-2e-3],\"data\":[7]}");
    const auto string = cut_weights(start + "\"AAAAAAAA8D8=\"}");

    REQUIRE(array);
    CHECK(array->numbers == Vector{{1.5, -2e-3}});
    CHECK(array->rest_of(start + "[1.5,-2e-3],") == start + "[],");
    REQUIRE(string);
    CHECK(string->numbers == Vector{{1.0}});
    CHECK(string->rest_of(start + "\"AAAAAAAA8D8=\"}") == start + "\"\"}");
  }

  TEST_CASE("reads more numbers than it makes room for at first") {
    std::string text = "0";
    for (int i = 1; i < 1000; ++i) text.append(",").append(std::to_string(i));

    const auto numbers = read_json_numbers(text);

    REQUIRE(numbers);
    CHECK(*numbers == Vector::LinSpaced(1000, 0.0, 999.0));
  }

  TEST_CASE("changes no refusal, nor the line and the column of an error") {
    for (const char* data :
         {":[1]", ":[1]]", ":[1]}", ":[1],5", ":[1]\n,5", ":[1],\"data\":[2]",
          ":\"AAAAAAAA8D8=\"", ":\"AAAAAAAA8D8=\"\n!"}) {
      CAPTURE(data);
      CHECK(refusal(json_of(data), true) == refusal(json_of(data), false));
      CHECK(refusal(json_of(data), true) != "");
    }
    const std::string cut_short = "{\"weights\":{\"data\":[1,2,3]";
    CHECK(refusal(cut_short, true) == refusal(cut_short, false));
  }
}

}  // namespace mlp::detail
