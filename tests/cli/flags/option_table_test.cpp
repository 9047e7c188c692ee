// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/flags/option_table.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "../run_program.hpp"

using namespace mlp::cli;

TEST_SUITE("cli/flags/option_table") {
  TEST_CASE("gives every flag a spelling of its own") {
    std::set<std::string> spellings;
    std::set<char> letters;

    for (const auto& option : kOptionTable) {
      CAPTURE(option.name);
      CHECK(spellings.insert(mlp::canonical_name(option.name)).second);
      if (option.letter != 0) {
        CHECK(letters.insert(option.letter).second);
      }
    }
  }

  TEST_CASE("has a flag for every hyper-parameter") {
    for (const mlp::ParamInfo& param : mlp::kParamTable) {
      const auto* option = find_option(param.flag.substr(2));

      REQUIRE(option != nullptr);
      CHECK(option->param == &param);
    }
  }

  TEST_CASE("quotes the plan that is the default") {
    const std::string sentence(find_option("exchange-plan")->sentence);

    CHECK(sentence.find(mlp::format_exchange_plan({})) != sentence.npos);
  }

  TEST_CASE("offers backends that the program knows") {
    for (const auto name : mlp::cli::kBackendNames) {
      const auto result = mlp::test::run_program(
          {"evaluate", "no.json", "no.csv", "--backend", std::string(name)});

      CAPTURE(result.messages);
      CHECK(result.exit_code != 0);
      CHECK(result.messages.find("--backend: must be") == result.messages.npos);
    }
  }

  TEST_CASE("finds a flag by Spark's spelling too") {
    CHECK(find_option("max-iter") == find_option("maxIter"));
    CHECK(find_option("max-iter") == find_option("max_iter"));
    CHECK(find_option("max-iter") == find_option("MAXITER"));
    CHECK(find_option("max-iter") != nullptr);
  }

  TEST_CASE("guesses no prefixes") {
    CHECK(find_option("max") == nullptr);
    CHECK(find_option("") == nullptr);
    CHECK(find_option("max-iters") == nullptr);
  }

  TEST_CASE("finds a flag by its letter") {
    REQUIRE(find_option('o') != nullptr);
    CHECK(find_option('o')->name == "out");
    CHECK(find_option('x') == nullptr);
    CHECK(find_option('\0') == nullptr);
  }
}
