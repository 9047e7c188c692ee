// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../mlp/regressor.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <utility>
#include <vector>

#include "../../mlp/model/regression_metrics.hpp"
#include "backend/naive_network.hpp"
#include "random_instances.hpp"

namespace mlp {

namespace {

// Sums of some numbers near 1, in another order.
constexpr double kRounding = 1e-13;

// What is left after the iterations that a test takes.
constexpr double kFitTolerance = 1e-4;

/// y = 2 a - 3 b + 0.5
datasets::Dataset make_plane(Index size) {
  SparkRandom random(3);
  datasets::Dataset data;
  data.features = testing::draw_matrix(random, 2, size);
  data.labels = 2.0 * data.features.row(0).array() -
                3.0 * data.features.row(1).array() + 0.5;
  return data;
}

Params params_of(std::vector<Index> layers) {
  Params params;
  params.layers = std::move(layers);
  params.seed = 5;
  return params;
}

}  // namespace

TEST_SUITE("mlp/regressor") {
  TEST_CASE("sets the task to regression") {
    CHECK(Regressor(params_of({2, 1})).params().task == Task::kRegression);
  }

  TEST_CASE("finds the plane that the labels lie on") {
    const datasets::Dataset data = make_plane(40);
    Vector plane(3);
    plane << 2.0, -3.0, 0.5;

    const FitResult result = Regressor(params_of({2, 1})).fit(data);

    CHECK(result.model.is_regressor());
    CHECK(result.model.weights().isApprox(plane, kFitTolerance));
    CHECK(result.model.predict(data.features)
              .isApprox(data.labels, kFitTolerance));
  }

  TEST_CASE("meets a curve by mini-batches and hidden layers") {
    datasets::Dataset data = make_plane(60);
    data.labels = (3.0 * data.features.row(0).array()).sin();
    Params params = params_of({2, 8, 1});
    params.solver = Solver::kAdam;
    params.activation = {*Activation::find("tanh")};
    params.step_size = 0.02;
    params.batch_size = 10;
    params.max_iter = 200;

    const FitResult result = Regressor(params).fit(data);

    CHECK(measure_regression(data.labels, result.model.predict(data.features))
              .r2 > 0.95);
  }

  TEST_CASE("starts with half the mean squared error in blocks") {
    // One block: the mean over all, of (prediction - label)^2 / 2.
    const datasets::Dataset data = make_plane(20);
    Params params = params_of({2, 3, 1});
    params.max_iter = 0;

    const FitResult result = Regressor(params).fit(data);
    const Vector errors = result.model.predict(data.features) - data.labels;

    CHECK(result.summary.objective_history.front() ==
          doctest::Approx(errors.squaredNorm() / 40.0).epsilon(kRounding));
  }

  TEST_CASE("predicts its raw prediction and no class") {
    const datasets::Dataset data = make_plane(5);
    Params params = params_of({2, 3, 1});
    params.max_iter = 1;

    const Model model = Regressor(params).fit(data).model;
    const Matrix raw = model.predict_raw(data.features);

    CHECK(raw.rows() == 1);
    CHECK(model.predict(data.features) == raw.row(0).transpose());
    CHECK(model.predict_probability(data.features).rows() == 0);
    CHECK(raw(0, 2) == doctest::Approx(testing::naive_outputs(
                                           model.topology(), model.weights(),
                                           data.features.col(2).data())
                                           .back()[0])
                           .epsilon(kRounding));
  }

  TEST_CASE("rejects what only classes have") {
    Params params = params_of({2, 1});

    params.thresholds = {0.5};
    CHECK_THROWS_WITH_AS(Regressor{params},
                         "thresholds must be empty with task regression",
                         ParamError);
    params.thresholds.clear();
    params.class_weights = {1.0};
    CHECK_THROWS_WITH_AS(Regressor{params},
                         "classWeights must be empty with task regression",
                         ParamError);
    params.class_weights.clear();
    params.label_smoothing = 0.1;
    CHECK_THROWS_WITH_AS(Regressor{params},
                         "labelSmoothing must be 0 with task regression",
                         ParamError);
  }

  TEST_CASE("predicts several numbers as one regressor for each does") {
    datasets::Dataset data = make_plane(40);
    datasets::Dataset both = data;
    both.targets = Matrix(2, 40);
    both.targets.row(0) = data.labels;
    both.targets.row(1) = 100.0 - 3.0 * data.labels.array();
    both.labels.resize(0);
    Params params = params_of({2, 2});
    params.tol = 1e-12;
    FitOptions options;
    options.is_standardizing = true;

    const FitResult fit = Regressor(params).fit(both, options);
    params.layers = {2, 1};
    const FitResult first = Regressor(params).fit(data, options);

    const Matrix raw = fit.model.predict_raw(data.features);
    constexpr double kConverged = 1e-5;
    CHECK(raw.row(0).isApprox(first.model.predict_raw(data.features),
                              kConverged));
    CHECK(raw.isApprox(both.targets, 1e-3));
    CHECK_THROWS_WITH_AS(fit.model.predict(data.features),
                         "the model predicts 2 numbers for each instance; they "
                         "are its raw predictions",
                         ParamError);
  }

  TEST_CASE("rejects labels for another number of outputs") {
    CHECK_THROWS_WITH_AS(
        Regressor(params_of({2, 3})).fit(make_plane(5)),
        "labels must be 3 per instance for layers [2, 3]; got 1", ShapeError);
    datasets::Dataset data = make_plane(5);
    data.targets = Matrix::Zero(2, 5);
    data.targets(1, 3) = std::nan("");
    data.labels.resize(0);
    CHECK_THROWS_WITH_AS(
        Regressor(params_of({2, 2})).fit(data),
        "labels must be finite numbers; instance 3 has label NaN", DataError);
  }

  TEST_CASE("rejects a label that is no number") {
    datasets::Dataset data = make_plane(5);
    data.labels[4] = std::numeric_limits<double>::infinity();

    CHECK_THROWS_WITH_AS(
        Regressor(params_of({2, 1})).fit(data),
        "labels must be finite numbers; instance 4 has label Infinity",
        DataError);
  }
}

}  // namespace mlp
