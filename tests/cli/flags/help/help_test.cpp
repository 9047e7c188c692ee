// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../cli/flags/help/help.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "../../../../cli/console/exit_code.hpp"
#include "../../../../cli/flags/option_table.hpp"
#include "../../run_program.hpp"

using mlp::cli::kCommandTable;
using mlp::cli::kOptionTable;
using mlp::test::run_program;

namespace {

/// The words of an example, its files moved to where they lie here.
std::vector<std::string> words_of(std::string_view example,
                                  const mlp::test::ScratchFolder& folder) {
  std::vector<std::string> words = mlp::test::split_words(std::string(example));
  REQUIRE(words.front() == "mlp");
  words.erase(words.begin());
  for (std::string& word : words) {
    if (word.ends_with(".json")) word = folder / word;
    if (word.substr(0, 5) == "data/") {
      word = mlp::test::data_file(word.substr(5));
    }
  }
  return words;
}

/// A page without the line breaks of its columns.
std::string without_breaks(const std::string& page) {
  std::istringstream words(page);
  std::string text;
  for (std::string word; words >> word;) text += word + ' ';
  return text;
}

/// The page of the first of some commands.
std::string words_of_help(unsigned commands) {
  for (const auto& command : kCommandTable) {
    if ((commands & command.command) == 0) continue;
    return without_breaks(mlp::cli::command_help(command));
  }
  return "";
}

}  // namespace

TEST_SUITE("cli/flags/help/help") {
  TEST_CASE("shows examples before everything else") {
    const std::string text = mlp::cli::overview_help();

    CHECK(text.find("Examples:") < text.find("Commands:"));
    CHECK(text.find("Commands:") < text.find("mlp help COMMAND explains"));
  }

  TEST_CASE("begins with a training that needs no flag") {
    const std::string command = "mlp train data/wine.csv -o wine.json\n";
    const auto* train = mlp::cli::find_command("train");
    REQUIRE(train != nullptr);

    CHECK(mlp::cli::overview_help().find("Examples:\n  " + command) !=
          std::string::npos);
    CHECK(mlp::cli::command_help(*train).find("EXAMPLE\n    " + command) !=
          std::string::npos);
    CHECK(mlp::cli::overview_help().find("exactly as Spark") ==
          std::string::npos);
  }

  TEST_CASE("fits the overview on one screen") {
    const std::string text = mlp::cli::overview_help();

    CHECK(std::count(text.begin(), text.end(), '\n') <= 24);
  }

  TEST_CASE("names every command and every flag") {
    for (const auto& command : kCommandTable) {
      const std::string page = mlp::cli::command_help(command);

      CHECK(mlp::cli::overview_help().find(command.name) != std::string::npos);
      CHECK(
          page.starts_with(std::string("NAME\n    mlp ").append(command.name)));
      for (const auto& option : kOptionTable) {
        CAPTURE(option.name);
        const bool is_shown = page.find(option.flag() + ' ') != page.npos;
        CHECK(is_shown == ((option.commands & command.command) != 0));
      }
    }
  }

  TEST_CASE("fits into 80 columns") {
    std::string text = mlp::cli::overview_help() + mlp::cli::short_usage();
    for (const auto& command : kCommandTable) {
      text += mlp::cli::command_help(command);
    }

    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(line.size() <= 80);
      CHECK((line.empty() || line.back() != ' '));
    }
  }

  TEST_CASE("states the defaults of the hyper-parameters") {
    const std::string page = words_of_help(mlp::cli::kTrain);

    CHECK(
        page.find("The maximum number of iterations, or of epochs with sgd, "
                  "adam and adamw. An integer >= 0. Default: 100; 300 with the "
                  "preset modern and without mini-batches.") != page.npos);
    CHECK(page.find("Default: l-bfgs.") != page.npos);
    CHECK(
        page.find("adamw it is 0.001 if not set. A number > 0. Default: 0.03 "
                  "with gd; with the preset modern 0.1 with sgd and 0.01 with "
                  "adam and adamw.") != page.npos);
    CHECK(page.find("Default: -763139545.") != page.npos);
  }

  TEST_CASE("names every value that a flag accepts") {
    for (const auto& option : kOptionTable) {
      if (option.choices.empty()) continue;
      CAPTURE(option.name);
      const std::string page = words_of_help(option.commands);
      const bool is_named =
          page.find(mlp::join_choices(option.choices)) != page.npos ||
          page.find(mlp::join_names(option.choices, "|")) != page.npos;
      CHECK(is_named);
    }
  }

  TEST_CASE("lists the exit codes with their meanings") {
    const std::string page = words_of_help(mlp::cli::kPredict);

    for (const auto& info : mlp::cli::kExitCodeTable) {
      const std::string line =
          std::to_string(info.code).append(" ").append(info.name) + ' ';
      CAPTURE(line);
      CHECK(page.find(line + std::string(info.meaning)) != page.npos);
    }
    CHECK(page.find("a rank was lost") != page.npos);
  }

  TEST_CASE("shows examples that run") {
    const mlp::test::ScratchFolder folder;

    for (const auto& command : kCommandTable) {
      std::istringstream lines{std::string(command.example)};
      for (std::string line; std::getline(lines, line);) {
        const auto result = run_program(words_of(line, folder));

        CAPTURE(line);
        CAPTURE(result.messages);
        CHECK(result.exit_code == 0);
        CHECK_FALSE(result.output.empty());
      }
    }
  }

  TEST_CASE("prints the same page for both ways to ask") {
    for (const auto& command : kCommandTable) {
      const std::string name(command.name);
      const auto page = run_program({"help", name});

      CHECK(page.exit_code == 0);
      CHECK(page.output == mlp::cli::command_help(command));
      CHECK(run_program({name, "--help"}).output == page.output);
      CHECK(run_program({"-h", name}).output == page.output);
    }
  }
}
