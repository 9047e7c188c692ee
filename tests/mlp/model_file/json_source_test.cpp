// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/json_source.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../mlp/model_file/json_sax.hpp"

using mlp::Index;
using mlp::Vector;
using mlp::detail::ModelJsonSax;
using mlp::detail::ModelJsonSource;
using mlp::detail::ParsedModel;
using mlp::detail::read_weights;

namespace {

/// Reads up to num_bytes of what is left.
std::string take(ModelJsonSource& source, std::size_t num_bytes) {
  std::string taken;
  auto at = source.begin();
  while (taken.size() < num_bytes && at != source.end()) {
    taken += *at;
    ++at;
  }
  return taken;
}

/// The bits of the weights, or the refusal.
struct Reading {
  std::vector<std::uint64_t> bits;
  std::string base64;
  std::string refusal;
  bool is_taken = false;

  bool operator==(const Reading& other) const {
    return bits == other.bits && base64 == other.base64 &&
           refusal == other.refusal;
  }
};

/// Reads a document that holds weights alone, the data as given.
Reading read(const std::string& data, bool has_source) {
  const std::string json = "{\"weights\":{\n\"data\"" + data + ",\"x\":1}}";
  ParsedModel parsed;
  ModelJsonSource source(json);
  ModelJsonSax sax(json, "m.json", parsed, has_source ? &source : nullptr);
  Reading reading;
  try {
    if (has_source) {
      nlohmann::json::sax_parse(source.begin(), source.end(), &sax);
    } else {
      nlohmann::json::sax_parse(json.begin(), json.end(), &sax);
    }
  } catch (const mlp::ModelError& error) {
    reading.refusal = error.what();
  }
  reading.base64 = parsed.weights.base64;
  reading.is_taken = parsed.weights.taken.has_value();
  const auto add = [&](double number) {
    reading.bits.push_back(std::bit_cast<std::uint64_t>(number));
  };
  if (reading.is_taken) {
    for (const double number : *parsed.weights.taken) add(number);
  } else if (parsed.weights.numbers) {
    for (const double number : *parsed.weights.numbers) add(number);
  }
  return reading;
}

/// What stands behind the name, and is not taken.
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
                                            ":[01]",
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

/// Data of which some are taken, some are not, and some are refused.
constexpr const char* kAllSorts[] = {":[1,2.5,-3e10]",
                                     " : [ 1 ]",
                                     ":[]",
                                     ":[-0]",
                                     ":[-0,1]",
                                     ":[-0.0]",
                                     ":[-0e1]",
                                     ":[1e-400]",
                                     ":[-1e-400]",
                                     ":[1e400]",
                                     ":[5e-324]",
                                     ":[18446744073709551615]",
                                     ":[18446744073709551616]",
                                     ":[-9223372036854775809]",
                                     ":[9007199254740993]",
                                     ":[01]",
                                     ":[1.]",
                                     ":[1e5]",
                                     ":[1E+5]",
                                     ":[1e]",
                                     ":[.5]",
                                     ":[1,,2]",
                                     ":[1,]",
                                     ":[\"1\"]",
                                     ":[null]",
                                     ":[1",
                                     ":\"\"",
                                     ":\"AAAAAAAA8D8=\"",
                                     ":\"AAAAAAAA8D9=\"",
                                     ":\"AAAA\"",
                                     ":\"\\u0041\"",
                                     ":\"\x01\"",
                                     ":\"A",
                                     ":1",
                                     ":null",
                                     "::[1]",
                                     ":[1]]",
                                     ":[1]}",
                                     ":[1]\n,5",
                                     ":\"AAAAAAAA8D8=\"\n!",
                                     ":[1.7976931348623157e308]"};

}  // namespace

TEST_SUITE("mlp/model_file/json_source") {
  TEST_CASE("gives every byte where nothing is left out") {
    ModelJsonSource source("0123456789");

    CHECK(take(source, 100) == "0123456789");
    CHECK(source.rest() == "");
    CHECK(source.place_of(7) == 7);
  }

  TEST_CASE("leaves a part out and knows the places behind it") {
    ModelJsonSource source("0123456789");

    CHECK(take(source, 3) == "012");
    CHECK(source.rest() == "3456789");
    source.leave_out(2, 4);

    CHECK(take(source, 100) == "34789");
    CHECK(source.place_of(5) == 5);   // behind the 4
    CHECK(source.place_of(6) == 8);   // behind the 7
    CHECK(source.place_of(9) == 11);  // one behind the end
  }

  TEST_CASE("leaves out no byte of an empty part and all up to the end") {
    ModelJsonSource empty("012");
    empty.leave_out(1, 1);
    ModelJsonSource rest("012");
    rest.leave_out(1, 3);

    CHECK(take(empty, 100) == "012");
    CHECK(take(rest, 100) == "0");
  }

  TEST_CASE("moves all copies of an iterator together") {
    ModelJsonSource source("ab");
    auto one = source.begin();
    const auto other = one;

    ++one;

    CHECK(*other == 'b');
  }

  TEST_CASE("takes an array and says where it stands") {
    const auto text = read_weights(" :\t[ 1.5 ,-2e-3\n,0] , ");

    REQUIRE(text);
    CHECK(text->numbers == Vector{{1.5, -2e-3, 0.0}});
    CHECK(text->first == 4);
    CHECK(text->last == 18);
  }

  TEST_CASE("takes a string of base64 and says where it stands") {
    const auto text = read_weights(":\"AAAAAAAA8D8=\",");

    REQUIRE(text);
    CHECK(text->numbers == Vector{{1.0}});
    CHECK(text->first == 2);
    CHECK(text->last == 14);
  }

  TEST_CASE("takes more numbers than it makes room for at first") {
    std::string json = ":[0";
    for (int i = 1; i < 1000; ++i) json.append(",").append(std::to_string(i));

    const auto text = read_weights(json + "]");

    REQUIRE(text);
    REQUIRE(text->numbers.size() == 1000);
    CHECK(text->numbers == Vector::LinSpaced(1000, 0.0, 999.0));
  }

  TEST_CASE("leaves to the parser what it may refuse or read otherwise") {
    for (const char* data : kLeftToTheParser) {
      CAPTURE(data);
      CHECK_FALSE(read_weights(data));
    }
  }

  TEST_CASE("changes nothing that the parser gives or refuses") {
    for (const char* data : kAllSorts) {
      CAPTURE(data);
      Reading fast = read(data, true);
      Reading slow = read(data, false);
      if (fast.is_taken) slow.base64.clear();
      if (fast.is_taken && slow.bits.empty()) fast.bits.clear();
      CHECK(fast == slow);
      CHECK(fast.refusal == slow.refusal);
    }
  }
}
