// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/fit/trained_model.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <filesystem>
#include <string>
#include <vector>

#include "../run_program.hpp"

namespace mlp::test {

namespace fs = std::filesystem;

namespace {

/// Runs the program where no file can be larger than a limit.
ProgramResult run_limited(const std::vector<std::string>& words, rlim_t bytes) {
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const rlimit low{bytes, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &low);
  Program program(words);
  ::setrlimit(RLIMIT_FSIZE, &old);
  return program.finish();
}

/// Starts a training without end and waits until it runs.
std::vector<std::string> endless(const std::vector<std::string>& flags) {
  return with(
      {"train", data_file("digits.csv"), "--layers", "64,10,10", "--solver",
       "gd", "--max-iter", "1000000", "--progress", "always"},
      flags);
}

}  // namespace

TEST_SUITE("cli/fit/trained_model") {
  TEST_CASE("saves the model elsewhere if its folder is gone") {
    const ScratchFolder folder;
    fs::create_directory(folder / "out");
    fs::create_directory(folder / "tmp");
    ::setenv("TMPDIR", (folder / "tmp").c_str(), 1);
    Program program(endless({"-o", folder / "out/model.json"}));
    ::unsetenv("TMPDIR");
    program.wait_for_message("iteration 1");
    fs::remove(folder / "out");

    program.send(SIGINT);
    const ProgramResult result = program.finish();

    CHECK(result.exit_code == 6);
    REQUIRE_FALSE(fs::is_empty(folder / "tmp"));
    const std::string saved = fs::directory_iterator(folder / "tmp")->path();
    CHECK(result.messages.find("no model was saved") != std::string::npos);
    CHECK(result.messages.find(
              "mlp: error: " + (folder / "out/model.json") +
              ": cannot be written: no file can be created in " +
              (folder / "out") +
              ": No such file or directory; the model is saved as " + saved +
              " instead\n") != std::string::npos);
    CHECK(run_program({"inspect", saved, "--verify"}).exit_code == 0);
  }

  TEST_CASE("names the checkpoint if the model cannot be saved anywhere") {
    const ScratchFolder folder;
    fs::create_directory(folder / "out");
    ::setenv("TMPDIR", (folder / "none").c_str(), 1);
    Program program(endless({"-o", folder / "out/model.json", "--checkpoint",
                             folder / "state", "--checkpoint-every", "1"}));
    ::unsetenv("TMPDIR");
    program.wait_for_message("iteration 2");
    fs::remove(folder / "out");

    program.send(SIGINT);
    const ProgramResult result = program.finish();

    CHECK(result.exit_code == 6);
    CHECK(result.messages.find(": No such file or directory; " +
                               (folder / "state") +
                               " has the last checkpoint: add --resume to "
                               "continue from it\n") != std::string::npos);
  }

  TEST_CASE("refuses before training a model that no byte can be written of") {
    const ScratchFolder folder;

    const ProgramResult result = run_limited(
        {"train", data_file("iris.csv"), "-q", "-o", folder / "model.json"}, 0);

    CHECK(result.exit_code == 6);
    CHECK(result.messages == "mlp: error: " + (folder / "model.json") +
                                 ": cannot be written: File too large\n");
    CHECK(folder.num_files() == 0);
  }

  TEST_CASE("keeps the old model if the new one does not fit") {
    const ScratchFolder folder;
    const std::string model = folder.write("model.json", "old");

    const ProgramResult result =
        run_limited({"train", data_file("iris.csv"), "-q", "-o", model}, 100);

    CHECK(result.exit_code == 6);
    CHECK(result.messages ==
          "mlp: error: " + model + ": cannot be written: File too large\n");
    CHECK(read_bytes(model) == "old");
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE("saves the model although every checkpoint fails, and exits 6") {
    const ScratchFolder folder;
    constexpr rlim_t kModelFits = 100'000;
    const std::string state = folder / "state";

    const ProgramResult result =
        run_limited({"train", data_file("digits.csv"), "--layers", "64,24,10",
                     "-q", "--max-iter", "20", "-o", folder / "model.json",
                     "--checkpoint", state, "--checkpoint-every", "10"},
                    kModelFits);

    const std::string failure = state + ": cannot be written: File too large; ";
    CHECK(result.exit_code == 6);
    CHECK(result.messages ==
          "mlp: warning: " + failure +
              "the training goes on without this checkpoint\nmlp: error: " +
              failure +
              "2 of 2 checkpoints were not written, but the model is saved\n");
    CHECK(
        run_program({"inspect", folder / "model.json", "--verify"}).exit_code ==
        0);
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE("saves the model although the timeline fails, and exits 6") {
    const ScratchFolder folder;
    constexpr rlim_t kModelFits = 10'000;

    const ProgramResult result = run_limited(
        {"train", data_file("iris.csv"), "--layers", "4,5,3", "-q",
         "--max-iter", "100", "--ranks", "2", "-o", folder / "model.json",
         "--timeline", folder / "trace.json"},
        kModelFits);

    CHECK(result.exit_code == 6);
    CHECK(result.messages == "mlp: error: " + (folder / "trace.json") +
                                 ": cannot be written: File too large\n");
    CHECK(
        run_program({"inspect", folder / "model.json", "--verify"}).exit_code ==
        0);
    CHECK(folder.num_files() == 1);
  }
}

}  // namespace mlp::test
