// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../cli/dynamic_twin.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "run_program.hpp"

using mlp::test::data_file;
using mlp::test::run_program;
using mlp::test::ScratchFolder;
using nlohmann::json;
namespace fs = std::filesystem;

#ifdef MLP_TWIN

namespace {

constexpr const char* kMissing =
    "mlp: error: the backend openblas and ranks over Gloo or MPI need the "
    "program mlp-dynamic, which is neither beside this one nor in "
    "../libexec/mlp; install it there, or choose another backend or "
    "transport\n";

constexpr const char* kNotTried =
    "not tried: mlp-dynamic, which loads it, is not installed";

/// Copies the static program into folder/bin and returns its path.
std::string copy_program(const ScratchFolder& folder) {
  fs::create_directory(folder / "bin");
  const std::string program = folder / "bin/mlp";
  fs::copy_file(MLP_PROGRAM, program);
  return program;
}

mlp::test::ProgramResult train_with_openblas(const std::string& program) {
  return run_program({"train", data_file("iris.csv"), "--backend", "openblas"},
                     program);
}

/// Why doctor has no OpenBLAS to show; empty where it has.
std::string problem_of_doctor(const std::string& program) {
  const auto result = run_program({"doctor", "--json"}, program);
  REQUIRE(result.exit_code == 0);
  return json::parse(result.output)["openblas"].value("problem", "");
}

}  // namespace

TEST_SUITE("cli/dynamic_twin") {
  TEST_CASE("exits 6 and names both places where the twin is missing") {
    const ScratchFolder folder;
    const std::string program = copy_program(folder);

    const auto result = train_with_openblas(program);

    CHECK(result.exit_code == 6);
    CHECK(result.messages == kMissing);
  }

  TEST_CASE("lets doctor work where the twin is missing") {
    const ScratchFolder folder;

    CHECK(problem_of_doctor(copy_program(folder)) == kNotTried);
  }

  TEST_CASE("finds the twin beside the program and in libexec") {
    for (const char* const place : {"bin", "libexec/mlp"}) {
      const ScratchFolder folder;
      const std::string program = copy_program(folder);
      fs::create_directories(folder / place);
      fs::copy_file(MLP_TWIN, folder / place + "/mlp-dynamic");

      CHECK(problem_of_doctor(program) != kNotTried);
    }
  }

  TEST_CASE("finds the twin through a link to the program") {
    const ScratchFolder folder;
    fs::create_symlink(MLP_PROGRAM, folder / "mlp");

    CHECK(problem_of_doctor(folder / "mlp") != kNotTried);
  }

  TEST_CASE("never becomes itself by another name") {
    const ScratchFolder folder;
    const std::string program = copy_program(folder);
    fs::create_hard_link(program, folder / "bin/mlp-dynamic");

    CHECK(train_with_openblas(program).messages == kMissing);
    CHECK(problem_of_doctor(program) == kNotTried);
  }

  TEST_CASE("refuses a twin that is no program") {
    const ScratchFolder folder;
    const std::string program = copy_program(folder);
    const std::string twin = folder.write("bin/mlp-dynamic", "\x7F no program");
    fs::permissions(twin, fs::perms::owner_all);

    const auto result = train_with_openblas(program);

    CHECK(result.exit_code == 6);
    CHECK(result.messages.starts_with("mlp: error: "));
    CHECK(result.messages.find("/bin/mlp-dynamic: cannot be started: Exec "
                               "format error\n") != std::string::npos);
  }
}

#else

TEST_SUITE("cli/dynamic_twin") {
  TEST_CASE("has no twin where the program itself is dynamic") {
    CHECK(mlp::cli::find_dynamic_twin().empty());
  }
}

#endif
