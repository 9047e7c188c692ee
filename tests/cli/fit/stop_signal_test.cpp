// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/fit/stop_signal.hpp"

#include <doctest/doctest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "../run_program.hpp"

using namespace mlp::test;

namespace {

/// The promise to users.
constexpr std::chrono::seconds kLongestStop{2};

/// A training that does not end by itself.
std::vector<std::string> endless_training(const std::string& model) {
  return {"train",      data_file("digits.csv"),
          "--layers",   "64,100,10",
          "--json",     "--solver",
          "gd",         "--tol",
          "0",          "--max-iter",
          "2000000000", "--progress",
          "always",     "-o",
          model};
}

}  // namespace

TEST_SUITE("cli/fit/stop_signal") {
  TEST_CASE("turns its flag with the first signal and then restores") {
    const auto before = std::signal(SIGINT, SIG_IGN);
    std::signal(SIGINT, SIG_DFL);
    {
      const mlp::cli::StopSignal signal;
      CHECK(signal.received() == 0);

      std::raise(SIGINT);

      CHECK(signal.received() == SIGINT);
      CHECK(*signal.flag());
    }
    const bool is_restored = std::signal(SIGINT, before) == SIG_DFL;
    CHECK(is_restored);
  }

  TEST_CASE("ends the program at the second signal") {
    const pid_t child = ::fork();
    if (child == 0) {
      const mlp::cli::StopSignal signal;
      std::raise(SIGTERM);
      std::raise(SIGINT);
      ::_exit(0);
    }
    REQUIRE(child > 0);
    int status = 0;
    ::waitpid(child, &status, 0);

    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 128 + SIGINT);
  }

  TEST_CASE("leaves a signal ignored that the caller ignores") {
    const auto before = std::signal(SIGINT, SIG_IGN);
    {
      const mlp::cli::StopSignal signal;

      std::raise(SIGINT);

      CHECK(signal.received() == 0);
      CHECK_FALSE(*signal.flag());
    }
    std::signal(SIGINT, before);
  }

  TEST_CASE("saves the best model and says so when a signal comes") {
    const ScratchFolder folder;
    const std::string model = folder / "model.json";
    for (const int signal : {SIGINT, SIGTERM}) {
      Program program(endless_training(model));
      program.wait_for_message("iteration 1");

      const auto start = std::chrono::steady_clock::now();
      program.send(signal);
      const auto result = program.finish();

      CHECK(std::chrono::steady_clock::now() - start < kLongestStop);
      CHECK(result.exit_code == 128 + signal);
      CHECK(result.messages.find("the best model so far is saved") !=
            std::string::npos);
      const auto json = nlohmann::json::parse(result.output);
      CHECK(json["convergenceReason"] == "stoppedByCallback");
      CHECK(run_program({"inspect", model, "--verify"}).exit_code == 0);
    }
  }

  TEST_CASE("ends at once while data are read, which may never end") {
    const ScratchFolder folder;
    const std::string data = folder / "data.csv";
    REQUIRE(::mkfifo(data.c_str(), 0600) == 0);
    for (const int signal : {SIGINT, SIGTERM}) {
      Program program({"train", data, "-o", folder / "model.json"});
      const int writer =
          ::open(data.c_str(), O_WRONLY);  // waits for the reader

      const auto start = std::chrono::steady_clock::now();
      program.send(signal);
      const auto result = program.finish();
      ::close(writer);

      CHECK(std::chrono::steady_clock::now() - start < kLongestStop);
      CHECK(result.exit_code == 128 + signal);
      CHECK_FALSE(result.is_killed);
      CHECK_FALSE(std::filesystem::exists(folder / "model.json"));
    }
  }

#ifdef MLP_HAS_GLOO
  TEST_CASE("ends at once while a rank waits for the others") {
    const ScratchFolder folder;
    Program program({"train", data_file("iris.csv"), "--rendezvous",
                     folder.path(), "--rank", "0", "--world-size", "2"});
    while (folder.num_files() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }

    const auto start = std::chrono::steady_clock::now();
    program.send(SIGINT);
    const auto result = program.finish();

    CHECK(std::chrono::steady_clock::now() - start < kLongestStop);
    CHECK(result.exit_code == 130);
    CHECK_FALSE(result.is_killed);
  }
#endif

  TEST_CASE("does not wait for a lock on the folder of a checkpoint") {
    const ScratchFolder folder;
    const int lock = ::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY);
    REQUIRE(::flock(lock, LOCK_EX) == 0);
    std::vector<std::string> words = endless_training(folder / "model.json");
    words.insert(words.end(), {"--checkpoint", folder / "state"});
    Program program(words);
    program.wait_for_message("iteration 1");

    program.send(SIGINT);
    const auto result = program.finish();
    ::close(lock);

    CHECK(result.exit_code == 130);
    CHECK(std::filesystem::exists(folder / "state"));
    CHECK(std::filesystem::exists(folder / "model.json"));
  }

  TEST_CASE("leaves no other file behind") {
    const ScratchFolder folder;
    Program program(endless_training(folder / "model.json"));
    program.wait_for_message("iteration 1");

    program.send(SIGTERM);
    static_cast<void>(program.finish());

    const std::filesystem::path path(folder / "model.json");
    const std::filesystem::directory_iterator files(path.parent_path());
    CHECK(std::distance(begin(files), end(files)) == 1);
  }
}
