// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// One process is a group of one rank: whether a caller gives such a group or none,
// a training has the same bits.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../distributed/identity.hpp"
#include "../../../distributed/thread_group.hpp"
#include "../../../mlp/model/model.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../../../mlp/training/train.hpp"
#include "support/rings.hpp"

namespace mlp {

namespace {

using datasets::Dataset;
using optim::ConvergenceReason;
using namespace testing;

/// Rings that weigh from 0 to 2.7.
Dataset make_weighted() {
  Dataset data = make_rings(40);
  data.weights = Vector::LinSpaced(40, 0.0, 2.7);
  return data;
}

/// A training that keeps every state it could go on from.
struct Recorded {
  TrainedWeights trained;
  std::vector<std::string> states;
};

Recorded record(const Params& params, const Dataset& data, FitOptions options,
                distributed::Allreduce* allreduce) {
  Recorded recorded;
  options.distribution.allreduce = allreduce;
  options.distribution.partition_sizes = data.partition_sizes;
  options.checkpoint.is_due = [](Index, bool) { return true; };
  options.checkpoint.write = [&](const std::string& state) {
    recorded.states.push_back(state);
  };
  validate(params);
  recorded.trained = train(topology_of(params), params, data, options);
  return recorded;
}

void check_same_bits(const TrainedWeights& a, const TrainedWeights& b) {
  CHECK(a.weights == b.weights);
  CHECK(a.statistics == b.statistics);
  CHECK(a.summary.objective_history == b.summary.objective_history);
  CHECK(a.summary.evaluations == b.summary.evaluations);
  CHECK(a.summary.convergence_reason == b.summary.convergence_reason);
}

/// Checks that groups of one rank end with the bits of no group, pass its states
/// on the way, and go on from one of them to the same end.
///
/// \return how the training ended
ConvergenceReason check_group_of_one(const Params& params, const Dataset& data,
                                     FitOptions options = {}) {
  const Recorded none = record(params, data, options, nullptr);
  REQUIRE_FALSE(none.states.empty());
  distributed::Identity identity;
  distributed::ThreadGroup threads(1);
  for (distributed::Allreduce* group :
       std::vector<distributed::Allreduce*>{&identity, &threads.rank(0)}) {
    const Recorded one = record(params, data, options, group);
    check_same_bits(one.trained, none.trained);
    CHECK(one.states == none.states);
  }
  options.checkpoint.state = none.states[none.states.size() / 2];
  check_same_bits(record(params, data, options, &identity).trained,
                  none.trained);
  return none.trained.summary.convergence_reason;
}

}  // namespace

TEST_SUITE("mlp/training/group_of_one") {
  TEST_CASE("has the bits of no group with every solver") {
    Dataset data = make_rings(40);
    data.partition_sizes = {25, 0, 15};
    for (const Solver solver : kSolvers) {
      CAPTURE(static_cast<int>(solver));
      Params params = ring_params(solver);
      params.block_size = 8;
      check_group_of_one(params, data);
      params.reg_param = 0.01;
      if (solver != Solver::kLbfgs) params.clip_norm = 0.5;
      params.freeze = {2};
      check_group_of_one(params, data);
    }
  }

  TEST_CASE("has the bits of no group in single precision") {
    FitOptions options;
    options.precision = Precision::kFloat32;
    for (const Solver solver : {Solver::kSgd, Solver::kAdam, Solver::kAdamW}) {
      CAPTURE(static_cast<int>(solver));
      check_group_of_one(ring_params(solver), make_weighted(), options);
    }
  }

  TEST_CASE("has the bits of no group where instances and classes weigh") {
    for (const Solver solver : kSolvers) {
      CAPTURE(static_cast<int>(solver));
      Params params = ring_params(solver);
      params.class_weights = {1.0, 0.3, 2.1};
      check_group_of_one(params, make_weighted());
    }
  }

  TEST_CASE("has the bits of no group where validation stalls") {
    const Dataset validation = make_rings(12);
    FitOptions options;
    options.validation = &validation;
    for (const Solver solver : {Solver::kGradientDescent, Solver::kSgd}) {
      Params params = ring_params(solver);
      params.step_size = 30.0;
      params.max_iter = 200;
      params.patience = 3;

      CHECK(check_group_of_one(params, make_rings(30), options) ==
            ConvergenceReason::kValidationStalled);
    }
  }

  TEST_CASE("has the bits of no group with batch normalisation and dropout") {
    for (const Solver solver : {Solver::kSgd, Solver::kAdam, Solver::kAdamW}) {
      CAPTURE(static_cast<int>(solver));
      Params params = ring_params(solver);
      params.batch_norm = true;
      params.dropout = {0.3};
      check_group_of_one(params, make_weighted());
    }
  }

  TEST_CASE("has the bits of no group where it starts from a model") {
    const Params params = ring_params(Solver::kAdam);
    const Model model(
        topology_of(params),
        record(params, make_rings(30), {}, nullptr).trained.weights);
    FitOptions options;
    options.warm_start = &model;

    check_group_of_one(params, make_rings(40), options);
  }

  TEST_CASE("stops as no group does where the callback says so") {
    const Dataset data = make_rings(30);
    FitOptions options;
    options.on_iteration = [](const optim::Iteration& iteration) {
      return iteration.iteration < 2;
    };
    distributed::Identity identity;
    for (const Solver solver : kSolvers) {
      CAPTURE(static_cast<int>(solver));
      const Recorded none = record(ring_params(solver), data, options, nullptr);
      const Recorded one =
          record(ring_params(solver), data, options, &identity);

      CHECK(one.trained.summary.convergence_reason ==
            ConvergenceReason::kStoppedByCallback);
      check_same_bits(one.trained, none.trained);
      CHECK(one.states == none.states);
    }
  }
}

}  // namespace mlp
