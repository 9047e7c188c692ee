// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/fit/training_checkpoint.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include "../run_program.hpp"

namespace mlp::test {

namespace {

constexpr int kKilled = 128 + SIGKILL;

/// The solvers, with what else has a state of its own.
const Words kSolvers = {
    "--solver l-bfgs --max-iter 40",
    "--solver gd --step-size 0.5 --max-iter 60",
    "--solver sgd --max-iter 6 --dropout 0.2",
    "--solver sgd --momentum 0.9 --nesterov --max-iter 6 --batch-norm",
    "--solver adam --max-iter 6 --validation 0.2 --patience 2",
    "--solver adamw --reg-param 0.01 --schedule cosine,warmup:1 --max-iter 6 "
    "--batch-norm --precision float32",
};

/// A training of the digits that ends by itself.
Words training(const std::string& flags, const std::string& model) {
  return with({"train", data_file("digits.csv"), "--layers", "64,24,10",
               "--scale", "16", "-q", "-o", model},
              split_words(flags));
}

/// Starts a program again and again and kills it at random moments; some runs may
/// come to their end before.
void kill_often(const Words& words, int num_kills, std::mt19937& random) {
  std::uniform_int_distribution<int> microseconds(1000, 60000);
  for (int i = 0; i < num_kills; ++i) {
    Program program(words);
    std::this_thread::sleep_for(
        std::chrono::microseconds(microseconds(random)));
    program.send(SIGKILL);
    const ProgramResult killed = program.finish();
    CAPTURE(killed.messages);
    const bool is_killed_or_done =
        killed.exit_code == kKilled || killed.exit_code == 0;
    REQUIRE(is_killed_or_done);
  }
}

}  // namespace

TEST_SUITE("cli/fit/training_checkpoint") {
  TEST_CASE(
      "resumes every solver after kill -9 at any moment to the same bytes") {
    // 6 solvers x 35 kills: of training, of saving, and before anything is saved.
    constexpr int kNumKills = 35;
    std::mt19937 random(7);
    for (const std::string& flags : kSolvers) {
      CAPTURE(flags);
      const ScratchFolder folder;
      const std::string expected = folder / "expected.json";
      REQUIRE(run_program(training(flags, expected)).exit_code == 0);
      const Words resumable = with(training(flags, folder / "model.json"),
                                   {"--checkpoint", folder / "state",
                                    "--checkpoint-every", "0s", "--resume"});

      kill_often(resumable, kNumKills, random);
      const ProgramResult result = run_program(resumable);

      CAPTURE(result.messages);
      CHECK(result.exit_code == 0);
      CHECK(read_bytes(folder / "model.json") == read_bytes(expected));
    }
  }

  TEST_CASE("prolongs a training with a larger --max-iter") {
    const ScratchFolder folder;
    const std::string expected = folder / "expected.json";
    const std::string model = folder / "model.json";
    const Words state = {"--checkpoint", folder / "state", "--checkpoint-every",
                         "1", "--resume"};
    REQUIRE(run_program(training("--max-iter 20", expected)).exit_code == 0);
    REQUIRE(
        run_program(with(training("--max-iter 8", model), state)).exit_code ==
        0);

    const ProgramResult result =
        run_program(with(training("--max-iter 20", model), state));

    CHECK(result.exit_code == 0);
    CHECK(read_bytes(model) == read_bytes(expected));
  }

  TEST_CASE("is due again only after its time") {
    cli::TrainingJob job;
    const ScratchFolder folder;
    job.options.checkpoint.file = folder / "state";
    job.options.checkpoint.every_seconds = 1.0;
    std::atomic<bool> is_stopping = false;
    FitOptions fit;
    fit.is_stopping = &is_stopping;
    cli::CheckpointOutcome outcome;
    const auto options = cli::make_checkpoint_options(job, {}, fit, outcome);

    CHECK_FALSE(options.is_due(1, false));
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    CHECK(options.is_due(2, true));
    options.write("state");
    CHECK_FALSE(options.is_due(3, false));
    is_stopping = true;
    CHECK(options.is_due(3, false));
  }

  TEST_CASE("refuses the state of a training with other sums") {
    const ScratchFolder folder;
    const Words state = {"--checkpoint", folder / "state", "--checkpoint-every",
                         "1", "--resume"};
    const std::string model = folder / "model.json";
    REQUIRE(
        run_program(with(training("--max-iter 2 --reproducible", model), state))
            .exit_code == 0);

    const ProgramResult result =
        run_program(with(training("--max-iter 4", model), state));

    CHECK(result.exit_code == 4);
    CHECK(result.messages.find("reproducible true") != std::string::npos);
  }

  TEST_CASE("refuses the state of another training and says what differs") {
    const ScratchFolder folder;
    const Words state = {"--checkpoint", folder / "state", "--checkpoint-every",
                         "1"};
    const std::string model = folder / "model.json";
    REQUIRE(
        run_program(with(training("--max-iter 3", model), state)).exit_code ==
        0);

    const ProgramResult result = run_program(with(
        with(training("--max-iter 3 --tol 0.5", model), state), {"--resume"}));

    CHECK(result.exit_code == 4);
    CHECK(result.messages ==
          "mlp: error: " + (folder / "state") +
              ": belongs to another training: it was written with 'tol 1e-06', "
              "and this training has 'tol 0.5'; remove it to start from the "
              "beginning\n");
  }

  TEST_CASE(
      "refuses a damaged file and takes the one before where it is whole") {
    const ScratchFolder folder;
    const std::string model = folder / "model.json";
    const Words words = with(training("--max-iter 6", model),
                             {"--checkpoint", folder / "state",
                              "--checkpoint-every", "1", "--resume"});
    REQUIRE(run_program(words).exit_code == 0);
    const std::string expected = read_bytes(model);
    std::ofstream(folder / "state") << "mlp-checkpoint 2\ncut";

    const ProgramResult rescued = run_program(words);
    CHECK(rescued.exit_code == 0);
    CHECK(rescued.messages.find("mlp: warning: " + (folder / "state") +
                                " is damaged and is kept as " +
                                (folder / "state.damaged")) !=
          std::string::npos);
    CHECK(read_bytes(model) == expected);

    std::ofstream(folder / "state") << "mlp-checkpoint 2\ncut";
    std::ofstream(folder / "state.previous") << "no state";
    const ProgramResult result = run_program(words);
    CHECK(result.exit_code == 4);
    CHECK(result.messages == "mlp: error: " + (folder / "state") +
                                 ": is damaged: its checksum does not match; "
                                 "remove it to start from the beginning\n");
  }

  TEST_CASE("replaces a checkpoint only if it is told to") {
    const ScratchFolder folder;
    const Words words =
        with(training("--max-iter 3", folder / "model.json"),
             {"--checkpoint", folder / "state", "--checkpoint-every", "1"});
    REQUIRE(run_program(words).exit_code == 0);
    const std::string older = read_bytes(folder / "state");

    const ProgramResult refused = run_program(with(words, {"--tol", "0.1"}));
    CHECK(refused.exit_code == 2);
    CHECK(refused.messages ==
          "mlp: error: --checkpoint: " + (folder / "state") +
              " exists; add --resume to continue its "
              "training, or --force to replace it\n");
    CHECK(read_bytes(folder / "state") == older);

    CHECK(run_program(with(words, {"--tol", "0.1", "--force"})).exit_code == 0);
    CHECK(read_bytes(folder / "state") != older);
  }

  TEST_CASE("refuses --resume and --checkpoint-every without a file") {
    for (const std::string flag : {"--resume", "--checkpoint-every 5"}) {
      const ProgramResult result =
          run_program(training(flag, "model-not-written.json"));

      CHECK(result.exit_code == 2);
      CHECK(result.messages ==
            "mlp: error: " + split_words(flag).front() +
                ": needs the file of the state; add --checkpoint FILE\n");
    }
  }

  TEST_CASE("refuses an interval that is none") {
    for (const std::string every : {"0", "-5s", "5x", "s", "1e400s"}) {
      const ProgramResult result = run_program(
          with(training("--checkpoint state", "model-not-written.json"),
               {"--checkpoint-every", every}));

      CAPTURE(every);
      CHECK(result.exit_code == 2);
      CHECK(result.messages ==
            "mlp: error: --checkpoint-every: must be a time such as 30s, 5m or "
            "1h, or a number of iterations >= 1; got '" +
                every + "'\n");
    }
  }
}

}  // namespace mlp::test
