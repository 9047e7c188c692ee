// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/train/progress.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>

#include "../run_program.hpp"

namespace mlp::cli {

namespace {

/// Replaces standard error by a pipe that nobody reads and that is full.
class FullStandardError {
 public:
  FullStandardError() : saved_(::dup(STDERR_FILENO)) {
    REQUIRE(::pipe(ends_.data()) == 0);
    ::fcntl(ends_[1], F_SETFL, O_NONBLOCK);
    const std::string bytes(4096, ' ');
    while (::write(ends_[1], bytes.data(), bytes.size()) > 0) {
    }
    ::fcntl(ends_[1], F_SETFL, 0);
    ::dup2(ends_[1], STDERR_FILENO);
  }
  FullStandardError(const FullStandardError&) = delete;
  FullStandardError& operator=(const FullStandardError&) = delete;
  ~FullStandardError() {
    ::dup2(saved_, STDERR_FILENO);
    for (const int descriptor : {ends_[0], ends_[1], saved_}) {
      ::close(descriptor);
    }
  }

 private:
  std::array<int, 2> ends_{};
  int saved_;
};

}  // namespace

TEST_SUITE("cli/train/progress") {
  TEST_CASE("does not wait for a reader that has stopped to read") {
    const Vector weights;
    const FullStandardError full;
    ProgressDisplay display(ProgressStyle::kPlain, {});

    display.show({1, 0.5, 1.0, 2, weights});  // would wait for ever
    display.finish();

    CHECK(::fcntl(STDERR_FILENO, F_GETFL) >= 0);
  }

  TEST_CASE("writes durations as clocks do") {
    CHECK(format_duration(0.0) == "0 s");
    CHECK(format_duration(59.4) == "59 s");
    CHECK(format_duration(185.0) == "3:05");
    CHECK(format_duration(3723.0) == "1:02:03");
    CHECK(format_duration(1e300) == "888888:53:20");
  }

  TEST_CASE("tells iteration time left objective and speed") {
    ProgressState state;
    state.iteration = 10;
    state.max_iter = 100;
    state.objective = 0.25;
    state.step_length = 1.0;
    state.evaluations = 12;
    state.num_instances = 1000;
    state.elapsed_seconds = 2.0;
    state.new_iterations = 10;
    state.new_evaluations = 12;
    state.is_upper_bound = true;

    // 90 iterations of 0.2 s are left; 12 x 1000 instances took 2 s.
    CHECK(format_progress(state) ==
          "iteration 10/100, at most 18 s left, objective 0.25, step 1, 12 "
          "evaluations, 6e+03 instances/s");
  }

  TEST_CASE("counts the instances of an epoch once") {
    ProgressState state;
    state.iteration = 6;
    state.max_iter = 10;
    state.evaluations = 600;  // mini-batches
    state.num_instances = 1000;
    state.has_epochs = true;
    state.elapsed_seconds = 2.0;
    state.new_iterations = 4;  // since the training was resumed
    state.new_evaluations = 400;

    CHECK(format_progress(state) ==
          "iteration 6/10, 2 s left, objective 0, step 0, 600 evaluations, "
          "2e+03 instances/s");
  }

  TEST_CASE("tells the validation loss and the best so far") {
    ProgressState state;
    state.beginning = "fold 2 of 5, ";
    state.iteration = 7;
    state.max_iter = 10;
    state.objective = 0.5;
    state.validation_loss = 0.75;
    state.best_loss = 0.625;
    state.best_iteration = 4;

    CHECK(format_progress(state) ==
          "fold 2 of 5, iteration 7/10, objective 0.5, validation 0.75 (best "
          "0.625 at 4), step 0, 0 evaluations");
  }

  TEST_CASE("counts the trainings where there are several") {
    ProgressState state;
    state.num_trainings = 7;
    state.max_trainings = 35;
    CHECK(format_progress(state) == "7 of at most 35 trainings");
  }

  TEST_CASE("shows the last of several trainings") {
    const auto result = mlp::test::run_program(
        {"train", mlp::test::data_file("iris.csv"), "--folds", "3",
         "--reg-param", "0.1", "--numeric-encoding", "linear", "--progress",
         "always"});

    // One is that of quick, 3 folds choose and 3 go on, and 5 networks are merged,
    // unless fewer have the time of all.
    const std::string first = "mlp: 1 of at most 12 trainings\n";
    const std::size_t begin = result.messages.find(first);
    REQUIRE(begin != std::string::npos);
    CHECK(result.messages.find(" of at most 12 trainings\n",
                               begin + first.size()) != std::string::npos);
  }

  TEST_CASE("leaves out whole parts where a line is too long") {
    ProgressState state;
    state.iteration = 10;
    state.max_iter = 100;
    state.objective = 0.25;
    state.evaluations = 12;
    const auto shown = [&](std::size_t width) {
      return format_progress(state, width);
    };

    CHECK(shown(55) == "iteration 10/100, objective 0.25, step 0");
    CHECK(shown(56) == shown(1000));
    CHECK(shown(32) == "iteration 10/100, objective 0.25");
    CHECK(shown(31) == "iteration 10/100");
    CHECK(shown(15).empty());
  }

  TEST_CASE("counts steps, not iterations whose line search failed") {
    const auto result = mlp::test::run_program(
        {"train", mlp::test::data_file("iris.csv"), "--layers", "4,5,4,3",
         "--seed", "1234", "--progress", "always"});

    CHECK(result.output.find("iterations      102 ") != std::string::npos);
    CHECK(result.messages.find("mlp: iteration 100/100, ") !=
          std::string::npos);
  }

  TEST_CASE("makes the constant parts from the hyper-parameters") {
    Params params;
    params.solver = Solver::kAdam;
    params.max_iter = 7;

    const ProgressState state =
        cli::make_progress(params, 30, false, "fold 1 of 2, ");

    CHECK(state.beginning == "fold 1 of 2, ");
    CHECK(state.max_iter == 7);
    CHECK(state.num_instances == 30);
    CHECK(state.has_epochs);
    CHECK_FALSE(state.is_upper_bound);
  }

  TEST_CASE("tells no time left at the start") {
    ProgressState state;
    state.max_iter = 5;
    state.objective = 1.5;
    state.evaluations = 1;

    CHECK(format_progress(state) ==
          "iteration 0/5, objective 1.5, step 0, 1 evaluations");
  }

  TEST_CASE("shows nothing where it is told so") {
    GlobalOptions options;
    options.progress = ProgressMode::kNever;
    CHECK(choose_progress_style(options) == ProgressStyle::kSilent);

    options.progress = ProgressMode::kAlways;
    options.console.is_quiet = true;
    CHECK(choose_progress_style(options) == ProgressStyle::kSilent);
  }

  TEST_CASE("shows nothing without a terminal unless it is told so") {
    const int terminal = ::dup(STDERR_FILENO);
    const int null = ::open("/dev/null", O_WRONLY);
    GlobalOptions options;

    ::dup2(null, STDERR_FILENO);
    const ProgressStyle by_default = choose_progress_style(options);
    options.progress = ProgressMode::kAlways;
    const ProgressStyle always = choose_progress_style(options);
    ::dup2(terminal, STDERR_FILENO);
    ::close(terminal);
    ::close(null);

    CHECK(by_default == ProgressStyle::kSilent);
    CHECK(always == ProgressStyle::kPlain);
  }
}

}  // namespace mlp::cli
