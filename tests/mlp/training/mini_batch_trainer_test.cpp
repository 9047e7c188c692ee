// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/mini_batch_trainer.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "../../../mlp/backend/reference_backend.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../../../mlp/training/host_batch_solver.hpp"
#include "../../../mlp/training/train.hpp"
#include "../../../mlp/training/warm_start.hpp"
#include "support/failing_allreduce.hpp"
#include "support/rings.hpp"
#include "support/stopping_backend.hpp"

namespace mlp {

namespace {

using optim::ConvergenceReason;
using optim::StepSchedule;

// Means of some numbers near 1, in another order.
constexpr double kRounding = 1e-13;

// A few roundings of numbers near 1.
constexpr double kStepRounding = 1e-14;

// What Adam adds to the root of the second moment moves a step by this share.
constexpr double kAdamEpsilon = 1e-7;

/// 30 instances in batches of 8: 4 steps an epoch.
Params make_params() {
  Params params;
  params.layers = {2, 4, 3};
  params.solver = Solver::kSgd;
  params.seed = 7;
  params.max_iter = 3;
  params.batch_size = 8;
  params.step_size = 0.5;
  return params;
}

TrainedWeights run(const Params& params, const FitOptions& options = {}) {
  return train(topology_of(params), params, testing::make_rings(30), options);
}

/// What training does, written out: batches of the order, plain steps.
struct PlainTraining {
  Vector weights;
  std::vector<double> means;  ///< of the loss over each epoch

  explicit PlainTraining(const Params& params) {
    const datasets::Dataset data = testing::make_rings(30);
    const Topology topology = topology_of(params);
    const PreparedInstances instances(data, topology, params);
    const auto evaluator = reference_backend().make_batch_evaluator(
        topology, {}, std::type_identity<double>{});
    evaluator->bind(instances.range());
    weights = start_weights(topology, params, nullptr).weights;
    MiniBatchOrder order(30, params.batch_size, 1, params.seed);
    ThreadPool pool(1);
    Vector gradient(topology.num_weights());
    for (Index epoch = 0; epoch < params.max_iter; ++epoch) {
      order.shuffle(epoch);
      double sum = 0.0;
      for (Index b = 0; b < order.num_batches(); ++b) {
        const auto batch = order.batch(b);
        sum += static_cast<double>(batch.size()) *
               evaluator->value_and_gradient({batch}, weights.data(), nullptr,
                                             gradient.data(), pool);
        weights -= *params.step_size * gradient;
      }
      means.push_back(sum / 30.0);
    }
  }
};

/// The step sizes with which epochs end.
std::vector<double> step_sizes(const Params& params) {
  std::vector<double> sizes;
  FitOptions options;
  options.on_iteration = [&](const optim::Iteration& iteration) {
    sizes.push_back(iteration.step_length);
    return true;
  };
  run(params, options);
  return sizes;
}

/// The weight, at first 1, after steps of 0.1 with gradient 0.5.
double weight_after(const Params& params, int num_steps) {
  auto rule = make_update_rule<double>(params, 1);
  Vector weights = Vector::Ones(1);
  for (int step = 0; step < num_steps; ++step) {
    Vector gradient = Vector::Constant(1, 0.5);
    std::visit(
        [&](auto& some) {
          some.begin_step(0.1);
          some.update({0, 1, true}, weights, gradient);
        },
        rule);
  }
  return weights[0];
}

Params rule_of(Solver solver, double momentum = 0.0, bool nesterov = false) {
  Params params;
  params.solver = solver;
  params.momentum = momentum;
  params.nesterov = nesterov;
  return params;
}

}  // namespace

TEST_SUITE("mlp/training/mini_batch_trainer") {
  TEST_CASE("takes one step a mini-batch in the order of the epochs") {
    const Params params = make_params();
    const PlainTraining expected(params);

    const TrainedWeights trained = run(params);

    CHECK(trained.weights.isApprox(expected.weights, kRounding));
    CHECK(trained.summary.evaluations == 12);
  }

  TEST_CASE("records the start and then the mean over each epoch") {
    const Params params = make_params();
    const PlainTraining expected(params);

    const std::vector<double> history = run(params).summary.objective_history;
    Params none = params;
    none.max_iter = 0;

    REQUIRE(history.size() == 4);
    CHECK(history[0] == run(none).summary.objective_history[0]);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(history[i + 1] ==
            doctest::Approx(expected.means[i]).epsilon(kRounding));
    }
  }

  TEST_CASE("records the penalty of the start and of each epoch") {
    // Steps too small to matter: all entries are the objective at the start.
    constexpr double kStillness = 1e-9;
    Params params = make_params();
    params.step_size = 1e-14;
    params.reg_param = 0.5;
    params.batch_size = 30;

    const std::vector<double> history = run(params).summary.objective_history;

    CHECK(history[1] == doctest::Approx(history[0]).epsilon(kStillness));
    CHECK(history[3] == doctest::Approx(history[0]).epsilon(kStillness));
  }

  TEST_CASE("takes the solver's default step size") {
    Params params = make_params();
    params.step_size.reset();

    CHECK(step_sizes(params) == std::vector<double>{0, 0.001, 0.001, 0.001});
  }

  TEST_CASE("hands the schedule each step of the run") {
    // The last steps of epochs are 3, 7 and 11.
    Params params = make_params();
    params.schedule = {StepSchedule::Shape::kStep, 1, 0.5, 0.0};
    CHECK(step_sizes(params) == std::vector<double>{0, 0.5, 0.25, 0.125});

    params.schedule = {StepSchedule::Shape::kConstant, 1, 1.0, 2.0};
    CHECK(step_sizes(params) == std::vector<double>{0, 0.25, 0.5, 0.5});

    params.schedule = {StepSchedule::Shape::kCosine, 1, 1.0, 0.0};
    CHECK(step_sizes(params)[3] == params.schedule.step_size(0.5, 11, 4, 3));
  }

  TEST_CASE("takes the instances in their order where it is told to") {
    Params params = make_params();
    params.in_order = true;
    Params other_seed = params;
    other_seed.seed = 8;
    const Topology topology = topology_of(params);
    params.initial_weights = start_weights(topology, params, nullptr).weights;
    other_seed.initial_weights = params.initial_weights;

    CHECK(run(params).weights == run(other_seed).weights);
    params.in_order = false;
    CHECK(run(params).weights != run(other_seed).weights);
  }

  TEST_CASE("stops where the objective stalls") {
    // With this tol every epoch after the first stalls.
    Params params = make_params();
    params.tol = 100.0;
    params.stall_epochs = 2;
    params.max_iter = 10;

    const optim::Summary summary = run(params).summary;

    CHECK(summary.total_iterations() == 3);
    CHECK(summary.convergence_reason ==
          ConvergenceReason::kFunctionValuesConverged);
  }

  TEST_CASE("stops where the loss of the validation stalls, if there is one") {
    const datasets::Dataset held_out = testing::make_rings(12);
    FitOptions options;
    options.validation = &held_out;
    Params params = make_params();
    params.step_size = 1e-300;
    params.stall_epochs = 2;
    params.max_iter = 10;

    const optim::Summary summary = run(params, options).summary;

    CHECK(summary.total_iterations() == 3);
    CHECK(summary.validation_history.size() == 4);
  }

  TEST_CASE("shortens adaptive steps, also after it resumes") {
    Params params = make_params();
    params.tol = 100.0;
    params.stall_epochs = 1;
    params.max_iter = 6;
    params.schedule = {StepSchedule::Shape::kAdaptive, 1, 0.5, 0.0};
    std::string state;
    FitOptions saving;
    saving.checkpoint.is_due = [](Index epoch, bool) { return epoch == 3; };
    saving.checkpoint.write = [&](const std::string& bytes) { state = bytes; };

    const TrainedWeights whole = run(params, saving);
    FitOptions resuming;
    resuming.checkpoint.state = state;

    CHECK(step_sizes(params) ==
          std::vector<double>{0, 0.5, 0.5, 0.25, 0.125, 0.0625, 0.03125});
    CHECK(run(params, resuming).weights == whole.weights);
  }

  TEST_CASE("steps by the size of the schedule") {
    // With a factor this small only the first epoch moves.
    Params params = make_params();
    params.schedule = {StepSchedule::Shape::kStep, 1, 1e-300, 0.0};
    Params brief = make_params();
    brief.max_iter = 1;

    CHECK(run(params).weights == run(brief).weights);
  }

  TEST_CASE("returns the weights of the last step where it is stopped") {
    const std::atomic<bool> is_stopping = true;
    const Params params = make_params();
    FitOptions options;
    options.is_stopping = &is_stopping;

    const TrainedWeights trained = run(params, options);

    CHECK(trained.weights ==
          start_weights(topology_of(params), params, nullptr).weights);
    CHECK(trained.summary.convergence_reason ==
          ConvergenceReason::kStoppedByCallback);
    CHECK(trained.summary.total_iterations() == 0);
  }

  TEST_CASE("stops after the epoch where the callback says so") {
    FitOptions options;
    options.on_iteration = [](const optim::Iteration& iteration) {
      return iteration.iteration < 2;
    };

    const optim::Summary summary = run(make_params(), options).summary;

    CHECK(summary.total_iterations() == 2);
    CHECK(summary.convergence_reason == ConvergenceReason::kStoppedByCallback);
  }

  TEST_CASE("stays near double precision in single precision") {
    // 12 steps of numbers with 24 bits.
    constexpr double kSingle = 1e-5;
    Params params = make_params();
    params.solver = Solver::kAdam;
    params.step_size = 0.01;
    FitOptions options;
    options.precision = Precision::kFloat32;

    const Vector weights = run(params, options).weights;

    CHECK(weights.isApprox(run(params).weights, kSingle));
    CHECK(weights == weights.cast<float>().cast<double>());
  }

  TEST_CASE("draws other units out in each run of another seed") {
    Params params = make_params();
    params.initial_weights =
        start_weights(topology_of(params), params, nullptr).weights;
    params.batch_size = 30;
    params.dropout = {0.5};
    Params other = params;
    other.seed = 8;

    CHECK(run(params).weights == run(params).weights);
    CHECK_FALSE(run(params).weights.isApprox(run(other).weights, 1e-3));
  }

  TEST_CASE("stops within the objective at the start") {
    const Params params = make_params();
    const datasets::Dataset data = testing::make_rings(5000);
    const Vector start =
        start_weights(topology_of(params), params, nullptr).weights;

    // The first parts of 1,024 instances are those of the objective.
    const testing::StoppedTraining stopped(params, data,
                                           testing::make_rings(12), 1);

    CHECK(stopped.stop.num_late == 0);
    CHECK(stopped.result.weights == start);
    CHECK(stopped.result.summary.objective_history.empty());
    CHECK(stopped.result.summary.convergence_reason ==
          ConvergenceReason::kStoppedByCallback);
    CHECK(stopped.last_state.empty());
  }

  TEST_CASE("resumes to the same bits where it stopped within a validation") {
    const datasets::Dataset data = testing::make_rings(60);
    const datasets::Dataset validation = testing::make_rings(1030);
    for (const Solver solver : {Solver::kSgd, Solver::kAdam}) {
      CAPTURE(static_cast<int>(solver));
      Params params = make_params();
      params.solver = solver;
      params.patience = 2;
      params.max_iter = 5;
      const int num_resumed =
          testing::stop_at_each_output(params, data, validation);

      // Two parts in each validation. There is no state before the first epoch.
      CHECK(num_resumed >= 4);
    }
  }

  TEST_CASE("rescues the state before the step that was lost") {
    for (const Solver solver : {Solver::kSgd, Solver::kAdam}) {
      CAPTURE(static_cast<int>(solver));
      Params params = make_params();
      params.solver = solver;
      const int num_rescued = testing::lose_at_each_sum(params);

      // 60 instances in batches of 8 are 8 steps an epoch, of two sums each;
      // before the first step there is nothing to rescue.
      CHECK(num_rescued == (3 * 8 - 1) * 2);
    }
  }
}

TEST_SUITE("mlp/mini_batch_trainer update rule") {
  TEST_CASE("makes the rule of sgd without momentum") {
    CHECK(weight_after(rule_of(Solver::kSgd), 2) ==
          doctest::Approx(1.0 - 2 * 0.05).epsilon(kStepRounding));
  }

  TEST_CASE("hands momentum to sgd") {
    // Steps 0.1 * 0.5 and 0.1 * (0.5 + 0.9 * 0.5).
    CHECK(weight_after(rule_of(Solver::kSgd, 0.9), 2) ==
          doctest::Approx(1.0 - 0.05 - 0.095).epsilon(kStepRounding));
  }

  TEST_CASE("hands nesterov to sgd") {
    // Steps 0.1 * (g + 0.9 v), v = 0.5 and 0.95.
    CHECK(weight_after(rule_of(Solver::kSgd, 0.9, true), 2) ==
          doctest::Approx(1.0 - 0.095 - 0.1355).epsilon(kStepRounding));
  }

  TEST_CASE("makes the rule of adam, without a decay of its own") {
    Params params = rule_of(Solver::kAdam);
    params.reg_param = 0.5;

    CHECK(weight_after(params, 1) ==
          doctest::Approx(1.0 - 0.1).epsilon(kAdamEpsilon));
  }

  TEST_CASE("hands regParam to adamw as its decay") {
    // 1 - 0.1 * 0.5 of the decay, then a step of 0.1.
    Params params = rule_of(Solver::kAdamW);
    params.reg_param = 0.5;

    CHECK(weight_after(params, 1) ==
          doctest::Approx(0.95 - 0.1).epsilon(kAdamEpsilon));
  }

  TEST_CASE("makes rules in single precision") {
    CHECK(std::holds_alternative<optim::Sgd<float>>(
        make_update_rule<float>(rule_of(Solver::kSgd), 3)));
    CHECK(std::holds_alternative<optim::Adam<float>>(
        make_update_rule<float>(rule_of(Solver::kAdamW), 3)));
  }
}

}  // namespace mlp
