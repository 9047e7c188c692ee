// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/exchange/exchange_plan.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../../core/error.hpp"

namespace mlp {

namespace {

void check_refusal(const std::string& text, const char* sentence) {
  CHECK_THROWS_WITH_AS(parse_exchange_plan(text), sentence, ParamError);
}

}  // namespace

TEST_SUITE("mlp/exchange/exchange_plan") {
  TEST_CASE("writes a plan as one line") {
    CHECK(format_exchange_plan({262144, WireType::kBfloat16, 3}) ==
          "bucketBytes=262144 wire=bfloat16 threads=3");
  }

  TEST_CASE("reads what it wrote") {
    for (const WireType wire :
         {WireType::kAsComputed, WireType::kFloat16, WireType::kBfloat16}) {
      for (const Index bucket_bytes : {Index{0}, Index{1} << 40}) {
        const ExchangePlan plan{bucket_bytes, wire, 7};

        CHECK(parse_exchange_plan(format_exchange_plan(plan)) == plan);
      }
    }
  }

  TEST_CASE("keeps the defaults of what is not given, in any order") {
    CHECK(parse_exchange_plan("") == ExchangePlan{});
    CHECK(parse_exchange_plan(" threads=2,  bucketBytes=9 ") ==
          ExchangePlan{9, WireType::kAsComputed, 2});
  }

  TEST_CASE("rejects words that it does not know, naming the rule") {
    check_refusal("wire=float16 size=3",
                  "an exchange plan must have words bucketBytes=, wire= and "
                  "threads=; got 'size=3'");
    check_refusal("wire",
                  "an exchange plan must have wire=asComputed, wire=float16 or "
                  "wire=bfloat16; got 'wire'");
    check_refusal("threads=-1",
                  "an exchange plan must have threads as an integer 0..1024; "
                  "got 'threads=-1'");
    check_refusal("bucketBytes=1MiB",
                  "an exchange plan must have bucketBytes as an integer "
                  "0..1099511627776; got 'bucketBytes=1MiB'");
    check_refusal("threads=1 threads=1",
                  "an exchange plan must have each word once; got 'threads=1'");
  }
}

}  // namespace mlp
