// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/flags/foreign_names.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../run_program.hpp"

namespace mlp::cli {

namespace {

/// The message of a command with enough arguments and one more flag.
std::string message_of(const cli::CommandInfo& command,
                       const std::string& flag) {
  std::vector<std::string> words{std::string(command.name)};
  for (std::size_t i = 0; i < command.min_arguments; ++i) {
    words.push_back("a");
  }
  words.push_back(flag);
  words.push_back("1");
  const auto result = mlp::test::run_program(words);
  CHECK(result.exit_code == 2);
  return result.messages;
}

/// The flags that a hint names.
std::vector<std::string> flags_in(std::string_view hint) {
  std::vector<std::string> flags;
  for (const std::string& word : mlp::test::split_words(std::string(hint))) {
    if (!word.starts_with("--")) continue;
    flags.push_back(word.substr(2, word.find_first_of(",:;") - 2));
  }
  return flags;
}

}  // namespace

TEST_SUITE("cli/flags/foreign_names") {
  TEST_CASE("refuses every foreign flag with its hint") {
    for (const auto& flag : kForeignFlags) {
      for (const auto& command : kCommandTable) {
        if ((flag.commands & command.command) == 0) continue;
        const std::string given = "--" + std::string(flag.name);
        const std::string message = message_of(command, given);

        CAPTURE(message);
        CHECK(message.find(std::string("; ").append(flag.hint)) !=
              message.npos);
      }
    }
  }

  TEST_CASE("gives no hint for a flag that the command has") {
    for (const auto& flag : kForeignFlags) {
      const auto* option = find_option(flag.name);
      CAPTURE(flag.name);
      CHECK((option == nullptr || (option->commands & flag.commands) == 0));
    }
  }

  TEST_CASE("names flags that exist") {
    for (const auto& flag : kForeignFlags) {
      for (const std::string& name : flags_in(flag.hint)) {
        CAPTURE(name);
        CHECK(find_option(name) != nullptr);
      }
    }
  }

  TEST_CASE("knows a foreign flag in any spelling and without a command") {
    CHECK(foreign_flag_hint("--learning_rate", nullptr) == "write --step-size");
    CHECK(foreign_flag_hint("--learningRate", find_command("train")) ==
          "write --step-size");
    CHECK(foreign_flag_hint("--lr", find_command("predict")).empty());
    CHECK(foreign_flag_hint("--nothing", nullptr).empty());
  }

  TEST_CASE("refuses every foreign command with its hint") {
    for (const auto& command : kForeignCommands) {
      const auto result =
          mlp::test::run_program({std::string(command.name), "data.csv"});

      CAPTURE(result.messages);
      CHECK(result.exit_code == 2);
      CHECK(result.messages.find(std::string("; ").append(command.hint)) !=
            std::string::npos);
      CHECK(find_command(command.name) == nullptr);
    }
  }

  TEST_CASE("names the command for a file") {
    CHECK(foreign_command_hint("iris.csv") ==
          "a command comes first: mlp train iris.csv");
    CHECK(foreign_command_hint("a/model.json") ==
          "a command comes first: mlp inspect a/model.json");
    CHECK(foreign_command_hint("trian").empty());
  }
}

}  // namespace mlp::cli
