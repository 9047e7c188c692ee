// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "../../run_program.hpp"

// The sanitizers reserve more addresses than any limit.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MLP_HAS_NO_LIMIT
#endif
#endif

#ifndef MLP_HAS_NO_LIMIT

using namespace mlp::test;

namespace {

/// Trains with a limit of the address space.
///
/// \param kibibytes  ulimit -v; 0 is no limit
ProgramResult train_within(int kibibytes, const std::string& flags) {
  const ScratchFolder folder;
  std::string command;
  if (kibibytes > 0)
    command = "ulimit -v " + std::to_string(kibibytes) + " && ";
  command += "exec " MLP_PROGRAM " train " + data_file("digits.csv") +
             " --max-iter 2 -o " + (folder / "m.json") + ' ' + flags;
  return Program({"-c", command}, "/bin/sh").finish();
}

}  // namespace

TEST_SUITE("cli/train/program/memory_limit") {
  TEST_CASE("says before training how much memory is needed and available") {
    const ProgramResult result =
        train_within(2000000, "-q --layers 64,20000,2000,10 --threads 1");

    CHECK(result.exit_code == 6);
    CHECK(result.messages.starts_with(
        "mlp: error: training needs 4 GB of memory (3.3 GB for solver l-bfgs, "
        "651 MB for the kernels); "));
    CHECK(result.messages.find(
              " GB are available (limit of the address space, ulimit -v); use "
              "smaller layers or less data, a smaller historySize, or solver "
              "sgd\n") != std::string::npos);
  }

  TEST_CASE("makes the hidden layer of the preset smaller and says so") {
    constexpr int kNumColumns = 10000;
    const ScratchFolder folder;
    std::string text;
    for (int row = 0; row < 200; ++row) {
      for (int i = 0; i < kNumColumns; ++i) {
        text += std::to_string((i * 7 + row * row * 3) % 10) + ',';
      }
      text += std::to_string(row % 2) + '\n';
    }
    const std::string command =
        "ulimit -v 320000 && exec " MLP_PROGRAM " train " +
        folder.write("wide.csv", text) + " --threads 1 --max-iter 10";

    const ProgramResult result = Program({"-c", command}, "/bin/sh").finish();

    CHECK(result.exit_code == 0);
    CHECK(result.messages.find(
              "units instead of 128, because a larger one needs more memory "
              "than is available; --layers chooses another\n") !=
          std::string::npos);
  }

  TEST_CASE("ends with exit code 6 wherever memory ends") {
    for (const std::string flags :
         {"--layers 64,32,10 --threads 4", "--layers 64,32,10 --ranks 4",
          "--layers 64,32,10 --solver adam --threads 2 --ranks 3"}) {
      int num_failed = 0;
      for (int kibibytes = 14000; kibibytes < 140000; kibibytes += 9001) {
        CAPTURE(flags);
        CAPTURE(kibibytes);
        const int exit_code = train_within(kibibytes, flags).exit_code;
        num_failed += exit_code == 6 ? 1 : 0;

        CHECK((exit_code == 0 || exit_code == 6));
      }
      CHECK(num_failed > 0);
    }
  }
}

#endif
