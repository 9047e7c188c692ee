// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/fit/fit.hpp"

#include <doctest/doctest.h>

namespace mlp::cli {

namespace {

/// Two instances of one feature and of two classes.
datasets::Dataset make_data() {
  datasets::Dataset data;
  data.features = Matrix{{1, 2}};
  data.labels = Vector{{0, 1}};
  return data;
}

}  // namespace

TEST_SUITE("cli/fit/fit") {
  TEST_CASE("fits a classifier or a regressor by the task") {
    Params params;
    params.layers = {1, 2};
    TrainingInstances data(make_data());
    CHECK_FALSE(run_fit(params, data, {}).result.model.is_regressor());

    params.layers = {1, 1};
    params.task = Task::kRegression;
    const Fit fit = run_fit(params, data, {});

    CHECK(fit.result.model.is_regressor());
    CHECK_FALSE(fit.divergence.has_value());
  }

  TEST_CASE("returns the last result of a training that diverged") {
    Params params;
    params.layers = {1, 1};
    params.task = Task::kRegression;
    params.solver = Solver::kGradientDescent;
    params.step_size = 1e200;
    TrainingInstances data(make_data());

    const Fit fit = run_fit(params, data, {});

    REQUIRE(fit.divergence.has_value());
    CHECK(fit.result.model.layers() == params.layers);
  }

  TEST_CASE("takes the options of a fit from the flags and the data") {
    TrainingJob job;
    job.options.precision = Precision::kFloat32;
    job.options.has_scale = true;
    job.options.ranks.is_reproducible = true;
    job.global.num_threads = 3;
    TrainingData data;
    data.validation.emplace();
    const StopSignal signal;

    const FitOptions options = make_fit_options(job, data, signal);

    CHECK(options.precision == Precision::kFloat32);
    CHECK(options.has_final_scale);
    CHECK(options.distribution.is_reproducible);
    CHECK(options.num_threads == 3);
    CHECK(options.validation == &*data.validation);
    CHECK(options.warm_start == nullptr);
    CHECK(options.is_stopping == signal.flag());
  }
}

}  // namespace mlp::cli
