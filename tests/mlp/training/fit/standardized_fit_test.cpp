// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../mlp/training/fit/standardized_fit.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "../../../../datasets/select.hpp"
#include "../../../../distributed/thread_group.hpp"
#include "../../../../mlp/mlp.hpp"
#include "../../../distributed/ranks.hpp"

namespace mlp {

namespace {

/// Rounding of sums over a hundred values or fewer.
constexpr double kRounding = 1e-12;

/// Two features of very different scale; the label is the sign of their sum in
/// standard units.
datasets::Dataset uneven_data(Index num_instances = 80) {
  datasets::Dataset data;
  data.features.resize(2, num_instances);
  data.labels.resize(num_instances);
  for (Index i = 0; i < num_instances; ++i) {
    const double x = std::sin(1.7 * static_cast<double>(i));
    const double y = std::cos(2.3 * static_cast<double>(i));
    data.features.col(i) << 5000.0 + 1000.0 * x, 1e-3 * y;
    data.labels[i] = x + y > 0.0 ? 1.0 : 0.0;
  }
  return data;
}

Params small_network() {
  Params params;
  params.layers = {2, 4, 2};
  params.seed = 5;
  return params;
}

FitOptions standardizing() {
  FitOptions options;
  options.is_standardizing = true;
  return options;
}

}  // namespace

TEST_SUITE("mlp/training/fit/standardized_fit") {
  TEST_CASE("gives the model that a fit on scaled data gives") {
    const datasets::Dataset data = uneven_data();
    datasets::Dataset scaled = data;
    const auto scaler = datasets::StandardScaler::fit(data);
    scaler.apply(scaled.features);

    const Model model =
        Classifier(small_network()).fit(data, standardizing()).model;

    CHECK(model.weights() ==
          Classifier(small_network()).fit(scaled).model.weights());
    REQUIRE(model.scaler().has_value());
    CHECK(model.scaler()->mean == scaler.mean);
  }

  TEST_CASE("returns a model that predicts features as they are") {
    const datasets::Dataset data = uneven_data();

    const Model model =
        Classifier(small_network()).fit(data, standardizing()).model;

    CHECK(evaluate(model, data).accuracy() > 0.95);
    const Model raw = Classifier(small_network()).fit(data).model;
    CHECK(evaluate(raw, data).accuracy() < 0.8);
  }

  TEST_CASE("counts an instance of weight 2 as two equal instances") {
    datasets::Dataset weighted = uneven_data(40);
    weighted.weights = Vector::Ones(40);
    weighted.weights.head(10).setConstant(2.0);
    datasets::Dataset repeated = uneven_data(40);
    repeated.features.conservativeResize(2, 50);
    repeated.features.rightCols(10) = weighted.features.leftCols(10);
    repeated.labels.conservativeResize(50);
    repeated.labels.tail(10) = weighted.labels.head(10);
    Params params = small_network();
    params.block_size = 1;
    params.max_iter = 5;

    const Model a = Classifier(params).fit(weighted, standardizing()).model;

    const Model b = Classifier(params).fit(repeated, standardizing()).model;
    CHECK(a.weights().isApprox(b.weights(), 1e-8));
  }

  TEST_CASE("scales validation data as the data") {
    const datasets::Dataset data = uneven_data();
    Params params = small_network();
    params.patience = 3;
    FitOptions options = standardizing();
    options.validation = &data;

    const FitResult fit = Classifier(params).fit(data, options);

    CHECK(evaluate(fit.model, data).accuracy() > 0.95);
  }

  TEST_CASE("continues from a model with the model's scaler") {
    const datasets::Dataset data = uneven_data();
    const Model first =
        Classifier(small_network()).fit(data, standardizing()).model;
    Params params = small_network();
    params.max_iter = 0;
    FitOptions options = standardizing();
    options.warm_start = &first;

    const Model second = Classifier(params).fit(uneven_data(30), options).model;

    CHECK(second.predict_raw(data.features) ==
          first.predict_raw(data.features));
  }

  TEST_CASE("predicts labels of any scale") {
    datasets::Dataset data = uneven_data();
    data.labels = 1e5 + 30.0 * data.features.row(0).transpose().array();
    Params params;
    params.layers = {2, 8, 1};

    const Model model = Regressor(params).fit(data, standardizing()).model;

    const Vector error = model.predict(data.features) - data.labels;
    CHECK(error.cwiseAbs().maxCoeff() < 3000.0);
  }

  TEST_CASE("continues from a regressor with its predictions") {
    datasets::Dataset data = uneven_data();
    data.labels.array() *= 1e5;
    Params params;
    params.layers = {2, 8, 1};
    const Model first = Regressor(params).fit(data, standardizing()).model;
    params.max_iter = 0;
    FitOptions options = standardizing();
    options.warm_start = &first;

    const Model second = Regressor(params).fit(data, options).model;

    CHECK(second.predict(data.features)
              .isApprox(first.predict(data.features), kRounding));
  }

  TEST_CASE("standardises over all ranks as over all instances") {
    const datasets::Dataset data = uneven_data();
    Params params = small_network();
    params.max_iter = 5;
    const Model expected = Classifier(params).fit(data, standardizing()).model;
    distributed::ThreadGroup group(2, 120.0);
    std::vector<std::optional<Model>> models(2);

    const auto errors = distributed::testing::run_ranks(2, [&](int rank) {
      FitOptions options = standardizing();
      options.distribution.allreduce = &group.rank(rank);
      const Index first = rank == 0 ? 0 : 50;
      models[static_cast<std::size_t>(rank)] =
          Classifier(params)
              .fit(datasets::select_run(data, first, rank == 0 ? 50 : 30),
                   options)
              .model;
    });

    CHECK(errors == std::vector<std::string>(2));
    REQUIRE(models[0].has_value());
    CHECK(models[0]->weights() == models[1]->weights());
    CHECK(
        models[0]->scaler()->mean.isApprox(expected.scaler()->mean, kRounding));
    CHECK(models[0]->weights().isApprox(expected.weights(), 1e-6));
  }

  TEST_CASE("refuses to standardise reproducibly on several ranks") {
    distributed::ThreadGroup group(2, 120.0);
    FitOptions options = standardizing();
    options.distribution.allreduce = &group.rank(0);
    options.distribution.is_reproducible = true;

    CHECK_THROWS_WITH_AS(
        Classifier(small_network()).fit(uneven_data(), options),
        "is_standardizing must be off with reproducible on several ranks, "
        "because the means of the ranks are rounded; scale the data first, "
        "with "
        "the scaler of all instances",
        ParamError);
  }
}

}  // namespace mlp
