// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/training_memory.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../../core/error.hpp"
#include "../../../datasets/dataset.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../../../mlp/training/train.hpp"
#include "../../thrown_message.hpp"

namespace mlp {

namespace {

Params params_of(Solver solver) {
  Params params;
  params.layers = {4, 1000, 3};
  params.solver = solver;
  params.max_iter = 100;
  return params;
}

/// The bytes of the solver for each weight.
double solver_bytes(const Params& params, const FitOptions& options = {}) {
  const Topology topology = topology_of(params);
  return training_memory(topology, params, options, {10}).solver /
         static_cast<double>(topology.num_weights());
}

}  // namespace

TEST_SUITE("mlp/training/training_memory") {
  // The result, 5 vectors and 10 pairs; with 2 iterations 2 pairs.
  TEST_CASE("counts the corrections of l-bfgs that the iterations fill") {
    Params params = params_of(Solver::kLbfgs);

    CHECK(solver_bytes(params) == 26 * 8);
    params.max_iter = 2;
    CHECK(solver_bytes(params) == 10 * 8);
  }

  TEST_CASE("counts the means of adam in the precision of the training") {
    const Params params = params_of(Solver::kAdam);
    FitOptions options;

    CHECK(solver_bytes(params, options) == 8 + 4 * 8);
    options.precision = Precision::kFloat32;
    CHECK(solver_bytes(params, options) == 8 + 4 * 4);
  }

  TEST_CASE("counts a velocity of sgd only with momentum") {
    Params params = params_of(Solver::kSgd);

    CHECK(solver_bytes(params) == 8 + 2 * 8);
    params.momentum = 0.9;
    CHECK(solver_bytes(params) == 8 + 3 * 8);
  }

  TEST_CASE("counts the best weights of early stopping") {
    const datasets::Dataset validation;
    FitOptions options;
    options.validation = &validation;

    CHECK(solver_bytes(params_of(Solver::kGradientDescent), options) == 5 * 8);
  }

  TEST_CASE("counts a gradient for each slice but the first") {
    const Params params = params_of(Solver::kLbfgs);
    const Topology topology = topology_of(params);
    const FitOptions options;

    CHECK(training_memory(topology, params, options, {1000}).gradients == 0.0);
    CHECK(training_memory(topology, params, options, {4096}).gradients ==
          3.0 * 8.0 * static_cast<double>(topology.num_weights()));
  }

  TEST_CASE("counts no copies of a backend that makes none") {
    const Params params = params_of(Solver::kLbfgs);

    CHECK(training_memory(topology_of(params), params, {}, {1000}).kernels ==
          0.0);
  }

  TEST_CASE("refuses the largest network before it allocates") {
    if (available_memory().bytes > 440e9) {
      MESSAGE("test skipped: this machine has the memory for any network");
      return;
    }
    Params params;
    params.layers = {1024, 1048000, 1024};
    datasets::Dataset data;
    data.features = Matrix::Zero(1024, 1);
    data.labels = Vector::Zero(1);
    const std::string sentence = test::thrown_message<ResourceError>(
        [&] { return train(topology_of(params), params, data, {}); });

    CHECK(
        sentence.starts_with("training needs 446.6 GB of memory (446.6 GB for "
                             "solver l-bfgs); "));
    CHECK(
        sentence.ends_with("); use smaller layers or less data, a smaller "
                           "historySize, or solver sgd"));
  }

  TEST_CASE("says how many ranks need the memory") {
    const Params params = params_of(Solver::kAdam);
    const std::string sentence = test::thrown_message<ResourceError>([&] {
      check_training_memory(topology_of(params), params, {},
                            {Index{1} << 55, false, 4});
    });

    CHECK(sentence.starts_with("training on 4 ranks needs "));
    CHECK(sentence.ends_with("or precision float32"));
  }

  TEST_CASE("lets a small training pass without asking the system") {
    const Params params = params_of(Solver::kAdam);

    CHECK_NOTHROW(check_training_memory(topology_of(params), params, {},
                                        {1000, false, 4}));
  }
}

}  // namespace mlp
