// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/flags/completion.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <string>

#include "../../../cli/console/usage_error.hpp"
#include "../../../cli/flags/option_table.hpp"
#include "../run_program.hpp"

using mlp::cli::completion_script;

namespace {

/// What bash offers after these words.
std::string complete_in_bash(const std::string& words, int position) {
  const mlp::test::ScratchFolder folder;
  const std::string script = folder.write(
      "ask.bash", completion_script("bash") + "COMP_WORDS=(" + words +
                      "); COMP_CWORD=" + std::to_string(position) +
                      "; _mlp; echo \"${COMPREPLY[*]}\"\n");
  FILE* shell = ::popen(("bash " + script).c_str(), "r");
  REQUIRE(shell != nullptr);
  std::array<char, 4096> line{};
  const char* read = std::fgets(line.data(), line.size(), shell);
  CHECK(::pclose(shell) == 0);
  return read == nullptr ? "" : read;
}

}  // namespace

TEST_SUITE("cli/flags/completion") {
  TEST_CASE("names every command and flag in every shell") {
    for (const char* shell : {"bash", "zsh", "fish"}) {
      const std::string script = completion_script(shell);

      for (const auto& command : mlp::cli::kCommandTable) {
        CHECK(script.find(command.name) != std::string::npos);
      }
      for (const auto& option : mlp::cli::kOptionTable) {
        CAPTURE(option.name);
        CHECK(script.find(option.name) != std::string::npos);
      }
    }
  }

  TEST_CASE("offers every value that a flag accepts in every shell") {
    for (const char* shell : {"bash", "zsh", "fish"}) {
      const std::string script = completion_script(shell);
      for (const auto& option : mlp::cli::kOptionTable) {
        CAPTURE(option.name);
        const std::string words = mlp::join_names(option.choices, " ");
        CHECK(script.find(words) != std::string::npos);
      }
    }
    for (const auto shell : mlp::cli::kShellNames) {
      CHECK_FALSE(completion_script(shell).empty());
    }
  }

  TEST_CASE("completes in bash") {
    CHECK(complete_in_bash("mlp tr", 1) == "train\n");
    CHECK(complete_in_bash("mlp train --max", 2) == "--max-iter\n");
    CHECK(complete_in_bash("mlp train x --solver ''", 4) ==
          "l-bfgs gd sgd adam adamw\n");
    CHECK(complete_in_bash("mlp predict --lay", 2) == "\n");
    CHECK(complete_in_bash("mlp completion ''", 2) == "bash zsh fish\n");
  }

  TEST_CASE("refuses another shell") {
    CHECK_THROWS_WITH_AS(
        static_cast<void>(completion_script("tcsh")),
        "completion: the shell must be bash, zsh or fish; got 'tcsh'",
        mlp::cli::UsageError);
  }
}
