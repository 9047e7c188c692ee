// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "../../../../cli/console/usage_error.hpp"
#include "../../../../cli/flags/help/help.hpp"
#include "../../../../cli/flags/option_table.hpp"
#include "../../run_program.hpp"

using mlp::cli::completion_script;

namespace {

/// What bash offers after these words, in a folder with the files a.csv and "b c".
std::string complete_in_bash(const std::string& words, int position) {
  const mlp::test::ScratchFolder folder;
  folder.write("a.csv", "");
  folder.write("b c", "");
  std::filesystem::create_directory(folder / "d");
  const mlp::test::ScratchFolder script_folder;
  const std::string script = script_folder.write(
      "ask.bash", completion_script("bash") + "cd '" + (folder / ".") +
                      "'; COMP_WORDS=(" + words +
                      "); COMP_CWORD=" + std::to_string(position) +
                      "; _mlp; IFS='|'; echo \"${COMPREPLY[*]}\"\n");
  FILE* shell = ::popen(("bash " + script + " 2>&1").c_str(), "r");
  REQUIRE(shell != nullptr);
  std::array<char, 4096> line{};
  const char* read = std::fgets(line.data(), line.size(), shell);
  CHECK(::pclose(shell) == 0);
  return read == nullptr ? "" : read;
}

/// Checks the grammar of a script if the shell is installed.
bool is_script_valid(const std::string& shell, const std::string& flag) {
  const mlp::test::ScratchFolder folder;
  const std::string script = folder.write("script", completion_script(shell));
  return std::system(("command -v " + shell + " >/dev/null || exit 0; " +
                      shell + ' ' + flag + ' ' + script)
                         .c_str()) == 0;
}

}  // namespace

TEST_SUITE("cli/flags/help/completion") {
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
          "l-bfgs|gd|sgd|adam|adamw\n");
    CHECK(complete_in_bash("mlp predict --lay", 2) == "\n");
    CHECK(complete_in_bash("mlp completion ''", 2) == "bash|zsh|fish\n");
  }

  TEST_CASE("completes files in bash where a value is a file") {
    CHECK(complete_in_bash("mlp train ''", 2) == "a.csv|b c|d\n");
    CHECK(complete_in_bash("mlp train a --warm-start ''", 4) ==
          "a.csv|b c|d\n");
    CHECK(complete_in_bash("mlp train a --validation ''", 4) ==
          "a.csv|b c|d\n");
    CHECK(complete_in_bash("mlp train a -o b", 4) == "b c\n");
    CHECK(complete_in_bash("mlp train a --rendezvous ''", 4) == "d\n");
    CHECK(complete_in_bash("mlp train a --max-iter ''", 4) == "\n");
  }

  TEST_CASE("completes a value after an equals sign in bash") {
    CHECK(complete_in_bash("mlp train a --solver = ad", 5) == "adam|adamw\n");
    CHECK(complete_in_bash("mlp train a --init =", 4).starts_with("spark|"));
    CHECK(complete_in_bash("mlp train a --out = a", 5) == "a.csv\n");
  }

  TEST_CASE("completes each item of a list in bash") {
    CHECK(complete_in_bash("mlp predict m d --output prediction,pro", 5) ==
          "prediction,probability\n");
    CHECK(complete_in_bash("mlp train d --activation relu,tanh,le", 4) ==
          "relu,tanh,leaky-relu\n");
  }

  TEST_CASE("completes the flags of every command before the command in bash") {
    CHECK(complete_in_bash("mlp --thr", 1) == "--threads\n");
    CHECK(complete_in_bash("mlp --threads 2 tr", 3) == "train\n");
    CHECK(complete_in_bash("mlp --max", 1) == "\n");
    CHECK(complete_in_bash("mlp --quiet train --max", 3) == "--max-iter\n");
  }

  TEST_CASE("writes scripts that the shells can read") {
    CHECK(is_script_valid("bash", "-n"));
    CHECK(is_script_valid("zsh", "-n"));
    CHECK(is_script_valid("fish", "--no-execute"));
  }

  TEST_CASE("offers files in zsh and fish where a value is a file") {
    const std::string zsh = completion_script("zsh");
    const std::string fish = completion_script("fish");

    CHECK(zsh.find(":share|file:_files'") != zsh.npos);
    CHECK(zsh.find(":folder:_files -/'") != zsh.npos);
    CHECK(zsh.find(":columns:_values -s , columns prediction ") != zsh.npos);
    CHECK(fish.find(" -l warm-start -r -F") != fish.npos);
    CHECK(fish.find(" -l output -x -a '(__fish_append , prediction ") !=
          fish.npos);
  }

  TEST_CASE("refuses another shell") {
    CHECK_THROWS_WITH_AS(
        completion_script("tcsh"),
        "completion: the shell must be bash, zsh or fish; got 'tcsh'",
        mlp::cli::UsageError);
  }
}
