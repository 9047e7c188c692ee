// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/checkpoint/checkpoint_options.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../../../mlp/params/params.hpp"
#include "../../../mlp/training/train.hpp"
#include "../training/support/rings.hpp"

namespace mlp {

namespace {

using optim::ConvergenceReason;
using optim::StepSchedule;

/// A solver with its settings; the rows of the table.
struct SolverCase {
  const char* name;
  Solver solver;
  double momentum = 0.0;
  bool nesterov = false;
  double reg_param = 0.0;
  double step_size = 0.05;
};

constexpr SolverCase kFullBatchCases[] = {
    {"l-bfgs", Solver::kLbfgs},
    {"l-bfgs with a penalty", Solver::kLbfgs, 0.0, false, 1e-3},
    {"gd", Solver::kGradientDescent},
    {"gd with a penalty", Solver::kGradientDescent, 0.0, false, 1e-3},
};

constexpr SolverCase kMiniBatchCases[] = {
    {"sgd", Solver::kSgd},
    {"sgd with momentum", Solver::kSgd, 0.9, false, 1e-3},
    {"nesterov", Solver::kSgd, 0.9, true},
    {"adam", Solver::kAdam, 0.0, false, 1e-3},
    {"adamw", Solver::kAdamW, 0.0, false, 1e-2},
};

/// What hidden layers do beside Spark's.
struct NetworkCase {
  const char* name;
  bool has_batch_norm;
  double dropout;
};

constexpr NetworkCase kNetworkCases[] = {
    {"plain", false, 0.0},
    {"batch norm", true, 0.0},
    {"dropout", false, 0.25},
    {"batch norm and dropout", true, 0.25},
};

/// 30 instances in batches of 7 leave a short batch of 2.
Params params_of(const SolverCase& solver) {
  Params params;
  params.layers = {2, 5, 4, 3};
  params.solver = solver.solver;
  params.momentum = solver.momentum;
  params.nesterov = solver.nesterov;
  params.reg_param = solver.reg_param;
  params.step_size = solver.step_size;
  params.seed = 11;
  params.max_iter = has_mini_batches(solver.solver) ? 4 : 12;
  params.batch_size = 7;
  params.patience = 2;
  return params;
}

/// A training that keeps every state it could go on from.
struct RecordedTraining {
  TrainedWeights result;
  std::vector<std::string> states;
};

RecordedTraining record(const Params& params, FitOptions options) {
  validate(params);
  RecordedTraining recorded;
  options.checkpoint.is_due = [](Index, bool) { return true; };
  options.checkpoint.write = [&](const std::string& state) {
    recorded.states.push_back(state);
  };
  recorded.result =
      train(topology_of(params), params, testing::make_rings(30), options);
  return recorded;
}

template <typename Numbers>
bool has_same_bits(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       static_cast<std::size_t>(a.size()) *
                                           sizeof(double)) == 0);
}

void check_equal(const TrainedWeights& a, const TrainedWeights& b) {
  CHECK(has_same_bits(a.weights, b.weights));
  CHECK(has_same_bits(a.statistics, b.statistics));
  CHECK(
      has_same_bits(a.summary.objective_history, b.summary.objective_history));
  CHECK(a.summary.evaluations == b.summary.evaluations);
  CHECK(a.summary.convergence_reason == b.summary.convergence_reason);
}

/// Goes on from each state of a training, by two threads, and compares the end
/// and all states on the way there.
///
/// \return how the training ended
ConvergenceReason check_resumed(const Params& params, FitOptions options) {
  const RecordedTraining whole = record(params, options);
  REQUIRE_FALSE(whole.states.empty());
  options.num_threads = 2;
  for (std::size_t i = 0; i < whole.states.size(); ++i) {
    CAPTURE(i);
    options.checkpoint.state = whole.states[i];

    const RecordedTraining rest = record(params, options);

    check_equal(rest.result, whole.result);
    CHECK(rest.states ==
          std::vector(whole.states.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                      whole.states.end()));
  }
  return whole.result.summary.convergence_reason;
}

/// Checks trainings with and without a validation set, and those by mini-batches
/// in single precision too, which the reference has for them alone.
///
/// \return how many ended because validation stalled
int check_all_options(const Params& params) {
  const datasets::Dataset validation = testing::make_rings(9);
  int num_stalled = 0;
  for (const Precision precision : {Precision::kFloat64, Precision::kFloat32}) {
    if (precision == Precision::kFloat32 && !has_mini_batches(params.solver)) {
      continue;
    }
    for (const bool has_validation : {false, true}) {
      CAPTURE(precision_name(precision));
      CAPTURE(has_validation);
      FitOptions options;
      options.precision = precision;
      if (has_validation) options.validation = &validation;
      num_stalled += check_resumed(params, options) ==
                     ConvergenceReason::kValidationStalled;
    }
  }
  return num_stalled;
}

}  // namespace

TEST_SUITE("mlp/checkpoint/checkpoint_options") {
  TEST_CASE(
      "resumes solvers of all instances at any iteration in the same bits") {
    for (const SolverCase& solver : kFullBatchCases) {
      CAPTURE(solver.name);

      check_all_options(params_of(solver));
    }
  }

  TEST_CASE("resumes solvers of mini-batches at any step in the same bits") {
    for (const SolverCase& solver : kMiniBatchCases) {
      for (const NetworkCase& network : kNetworkCases) {
        CAPTURE(solver.name);
        CAPTURE(network.name);
        Params params = params_of(solver);
        params.batch_norm = network.has_batch_norm;
        params.dropout = {network.dropout};

        check_all_options(params);
      }
    }
  }

  TEST_CASE("resumes where validation stalls in the same bits") {
    for (const Solver solver :
         {Solver::kLbfgs, Solver::kGradientDescent, Solver::kAdam}) {
      Params params = params_of({"", solver});
      params.max_iter = 40;
      // Steps that are too long, so that the loss rises.
      params.step_size = 30.0;
      params.patience = 1;

      const int num_stalled = check_all_options(params);

      CHECK(num_stalled == (has_mini_batches(solver) ? 2 : 1));
    }
  }

  TEST_CASE("resumes schedules, clipping and frozen layers in the same bits") {
    for (const SolverCase& solver : kMiniBatchCases) {
      CAPTURE(solver.name);
      Params params = params_of(solver);
      params.schedule = {StepSchedule::Shape::kCosine, 1, 1.0, 1.5};
      params.clip_norm = 0.5;
      params.clip_value = 0.2;
      params.batch_norm = true;
      params.freeze = {1};

      check_all_options(params);
    }
  }

  TEST_CASE("resumes a training that its callback stopped") {
    for (const Solver solver : {Solver::kLbfgs, Solver::kAdam}) {
      Params params = params_of({"", solver});
      const RecordedTraining whole = record(params, {});
      FitOptions options;
      options.on_iteration = [](const optim::Iteration& iteration) {
        return iteration.iteration < 2;
      };
      const RecordedTraining stopped = record(params, options);
      REQUIRE(stopped.result.summary.convergence_reason ==
              ConvergenceReason::kStoppedByCallback);
      FitOptions resuming;
      resuming.checkpoint.state = stopped.states.back();

      check_equal(record(params, resuming).result, whole.result);
    }
  }

  TEST_CASE("prolongs a training from its last state") {
    for (const Solver solver : {Solver::kLbfgs, Solver::kAdam}) {
      Params params = params_of({"", solver});
      const RecordedTraining brief = record(params, {});
      params.max_iter += 2;
      const RecordedTraining whole = record(params, {});
      FitOptions options;
      options.checkpoint.state = brief.states.back();

      check_equal(record(params, options).result, whole.result);
    }
  }

  TEST_CASE("asks with the iterations and whether it is between them") {
    // 30 instances in batches of 7 are 5 steps: 4 states within each epoch.
    std::vector<Index> iterations;
    int num_between = 0;
    Params params = params_of(kMiniBatchCases[0]);
    params.max_iter = 2;
    FitOptions options;
    options.checkpoint.is_due = [&](Index iteration, bool is_mid_epoch) {
      iterations.push_back(iteration);
      num_between += is_mid_epoch;
      return false;
    };

    const TrainedWeights result =
        train(topology_of(params), params, testing::make_rings(30), options);

    CHECK(result.summary.total_iterations() == 2);
    CHECK(iterations == std::vector<Index>{0, 0, 0, 0, 1, 1, 1, 1, 1});
    CHECK(num_between == 8);
  }

  TEST_CASE(
      "rejects the state of another solver or other layers or precision") {
    const Params params = params_of(kMiniBatchCases[3]);
    FitOptions options;
    options.checkpoint.state = record(params, {}).states.front();
    Params other_solver = params;
    other_solver.solver = Solver::kSgd;
    Params other_layers = params;
    other_layers.layers = {2, 6, 3};
    FitOptions other_precision = options;
    other_precision.precision = Precision::kFloat32;

    CHECK_THROWS_AS(record(other_solver, options), ModelError);
    CHECK_THROWS_AS(record(other_layers, options), ModelError);
    CHECK_THROWS_AS(record(params, other_precision), ModelError);
    CHECK_THROWS_AS(record(params_of(kFullBatchCases[0]), options), ModelError);
  }

  TEST_CASE("rejects a state that is cut anywhere") {
    const Params params = params_of(kMiniBatchCases[3]);
    const std::string state = record(params, {}).states.front();
    FitOptions options;

    for (std::size_t size = 1; size < state.size(); size += 97) {
      CAPTURE(size);
      options.checkpoint.state = state.substr(0, size);
      CHECK_THROWS_AS(record(params, options), ModelError);
    }
  }

  TEST_CASE("saves the state if a stop is asked for within the callback") {
    for (const SolverCase& solver : kMiniBatchCases) {
      CAPTURE(solver.name);
      const Params params = params_of(solver);
      std::atomic<bool> is_stopping = false;
      FitOptions options;
      options.is_stopping = &is_stopping;
      options.on_iteration = [&](const optim::Iteration& iteration) {
        is_stopping = iteration.iteration == 2;
        return !is_stopping;
      };
      std::string state;
      options.checkpoint.is_due = [&](Index, bool) {
        return is_stopping.load();
      };
      options.checkpoint.write = [&](const std::string& s) { state = s; };
      const auto data = testing::make_rings(30);

      static_cast<void>(train(topology_of(params), params, data, options));

      REQUIRE_FALSE(state.empty());
      FitOptions resumed;
      resumed.checkpoint.state = state;
      check_equal(train(topology_of(params), params, data, resumed),
                  train(topology_of(params), params, data, {}));
    }
  }
}

}  // namespace mlp
