// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../mlp/training/fit/fit_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "../../../../distributed/thread_group.hpp"
#include "../../../../mlp/mlp.hpp"
#include "../../../distributed/ranks.hpp"

namespace mlp {

namespace {

/// A table whose features are so large that steps lose the objective.
datasets::Dataset large_data() {
  datasets::Dataset data;
  data.features = Matrix{{0, 0, 1, 1}, {0, 1, 0, 1}} * 1e6;
  data.labels = Vector{{0, 1, 1, 0}};
  return data;
}

Params params_of(Solver solver) {
  Params params;
  params.layers = {2, 8, 2};
  params.solver = solver;
  params.step_size = 1e305;
  params.batch_size = 2;
  params.seed = 1;
  return params;
}

bool has_code(const FitResult& result, FitWarningCode code) {
  return std::any_of(result.warnings.begin(), result.warnings.end(),
                     [code](const auto& w) { return w.code == code; });
}

}  // namespace

TEST_SUITE("mlp/training/fit/fit_model") {
  TEST_CASE("throws for a training that diverged, with its summary") {
    for (const Solver solver : {Solver::kSgd, Solver::kGradientDescent}) {
      CAPTURE(static_cast<int>(solver));
      try {
        static_cast<void>(fit_model(params_of(solver), large_data(), {}));
        FAIL("did not throw");
      } catch (const DivergedError& error) {
        CHECK(std::string(error.what()).find("must stay finite") !=
              std::string::npos);
        CHECK(has_diverged(error.result()));
        CHECK(error.result().summary.objective_history.size() >= 2);
      }
    }
  }

  TEST_CASE("stops mini-batches at the first objective that is not finite") {
    FitOptions options;
    options.on_divergence = OnDivergence::kReturn;

    const FitResult result =
        fit_model(params_of(Solver::kSgd), large_data(), options);

    const auto& history = result.summary.objective_history;
    CHECK(result.summary.convergence_reason ==
          optim::ConvergenceReason::kDiverged);
    CHECK_FALSE(std::isfinite(history.back()));
    CHECK(std::count_if(history.begin(), history.end(),
                        [](double x) { return !std::isfinite(x); }) == 1);
  }

  TEST_CASE("keeps the path of Spark's solvers when divergence is returned") {
    FitOptions options;
    options.on_divergence = OnDivergence::kReturn;
    Params params = params_of(Solver::kGradientDescent);
    params.max_iter = 7;

    const FitResult result = fit_model(params, large_data(), options);

    CHECK(has_diverged(result));
    CHECK(result.summary.convergence_reason !=
          optim::ConvergenceReason::kDiverged);
  }

  TEST_CASE("throws on all ranks after the same epoch") {
    const datasets::Dataset data = large_data();
    distributed::ThreadGroup group(2, 10.0);
    std::array<std::optional<DivergedError>, 2> errors;

    distributed::testing::run_ranks(2, [&](int rank) {
      datasets::Dataset own;
      own.features = data.features.middleCols(2 * rank, 2);
      own.labels = data.labels.segment(2 * rank, 2);
      FitOptions options;
      options.distribution.allreduce = &group.rank(rank);
      options.distribution.partition_sizes = {4};
      try {
        static_cast<void>(fit_model(params_of(Solver::kSgd), own, options));
      } catch (const DivergedError& error) {
        errors[static_cast<std::size_t>(rank)] = error;
      }
    });

    REQUIRE(errors[0]);
    REQUIRE(errors[1]);
    CHECK(std::string(errors[0]->what()) == errors[1]->what());
    CHECK(errors[0]->result().summary.evaluations ==
          errors[1]->result().summary.evaluations);
  }

  TEST_CASE("warns of a scale unless the fit standardises or should not") {
    Params params;
    params.layers = {2, 5, 2};
    params.max_iter = 5;
    FitOptions options;

    CHECK(has_code(fit_model(params, large_data(), options),
                   FitWarningCode::kUnevenScale));
    options.has_final_scale = true;
    CHECK_FALSE(has_code(fit_model(params, large_data(), options),
                         FitWarningCode::kUnevenScale));
    options.has_final_scale = false;
    options.is_standardizing = true;
    CHECK_FALSE(has_code(fit_model(params, large_data(), options),
                         FitWarningCode::kUnevenScale));
  }

  TEST_CASE("warns of a network that learned nothing from constant features") {
    datasets::Dataset data = large_data();
    data.features.setOnes();
    Params params;
    params.layers = {2, 3, 2};

    const FitResult result = fit_model(params, data, {});

    CHECK(has_code(result, FitWarningCode::kNoBetterThanConstant));
  }

  TEST_CASE("refuses a negative weight before the means are computed") {
    datasets::Dataset data = large_data();
    data.weights = Vector{{1, 1, -3, 1}};
    FitOptions options;
    options.is_standardizing = true;

    CHECK_THROWS_WITH_AS(
        fit_model(params_of(Solver::kLbfgs), data, options),
        "weights must be finite and >= 0; instance 2 has weight -3", DataError);
  }
}

}  // namespace mlp
