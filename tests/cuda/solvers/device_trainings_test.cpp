// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Whole trainings by solvers on the device over the plain network, and their
// states.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../mlp/training/support/resume_case.hpp"
#include "../largest_difference.hpp"
#include "solvers_on_device.hpp"

namespace mlp::testing {

namespace {

// Some steps of numbers near 1, which round differently on the device.
constexpr double kRounding = 1e-10;
constexpr double kFloatRounding = 1e-4;

constexpr Index kEpochs = 6;

const SolversOnDevice& on_device() {
  static const SolversOnDevice backend;
  return backend;
}

/// A training of some iterations or epochs, and the states that it saved.
struct Training {
  TrainedWeights result;
  std::vector<std::string> states;
};

/// \param state  to resume from; empty to start
Training train_case(const ResumeCase& one, const Backend& backend,
                    const std::string& state = "") {
  Training training;
  FitOptions options;
  options.backend = &backend;
  options.checkpoint.state = state;
  options.checkpoint.is_due = [](Index, bool) { return true; };
  options.checkpoint.write = [&](const std::string& bytes) {
    training.states.push_back(bytes);
  };
  ResumeCase limited = one;
  limited.params.max_iter = kEpochs;
  training.result = run_case(limited, options);
  return training;
}

void check_close(const ResumeCase& one, const TrainedWeights& found,
                 const TrainedWeights& expected) {
  const double rounding =
      one.precision == Precision::kFloat64 ? kRounding : kFloatRounding;
  const auto& history = found.summary.objective_history;
  const auto& expected_history = expected.summary.objective_history;
  REQUIRE(history.size() == expected_history.size());
  CHECK((found.weights - expected.weights).norm() +
            (found.statistics - expected.statistics).norm() <
        rounding);
  CHECK(largest_difference(history, expected_history) < rounding);
  CHECK(found.summary.evaluations == expected.summary.evaluations);
  CHECK(found.summary.convergence_reason ==
        expected.summary.convergence_reason);
}

TEST_SUITE("cuda/solvers trainings") {
  TEST_CASE("train as on the host by every solver") {
    for (const ResumeCase& one : resume_cases()) {
      CAPTURE(one.name);
      const int num_made = on_device().num_made;

      const Training device = train_case(one, on_device());

      const Training host = train_case(one, reference_backend());
      check_close(one, device.result, host.result);
      CHECK(on_device().num_made == num_made + 1);
      REQUIRE(device.states.size() == host.states.size());
      for (std::size_t i = 0; i < host.states.size(); ++i) {
        CHECK(device.states[i].size() == host.states[i].size());
      }
    }
  }

  TEST_CASE("end in the same bits wherever they are resumed") {
    for (const ResumeCase& one : resume_cases()) {
      CAPTURE(one.name);
      const Training whole = train_case(one, on_device());
      for (const std::string& state : whole.states) {
        const Training resumed = train_case(one, on_device(), state);

        CHECK(resumed.result.weights == whole.result.weights);
        CHECK(resumed.result.summary.objective_history ==
              whole.result.summary.objective_history);
      }
    }
  }

  TEST_CASE("resume on the host, and the host's on the device") {
    for (const ResumeCase& one : resume_cases()) {
      CAPTURE(one.name);
      const Training device = train_case(one, on_device());
      const Training host = train_case(one, reference_backend());
      for (std::size_t i = 0; i < host.states.size(); ++i) {
        check_close(
            one, train_case(one, reference_backend(), device.states[i]).result,
            host.result);
        check_close(one, train_case(one, on_device(), host.states[i]).result,
                    host.result);
      }
    }
  }
}

}  // namespace

}  // namespace mlp::testing
