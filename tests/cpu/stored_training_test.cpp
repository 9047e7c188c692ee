// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <memory>
#include <numeric>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/spark_random.hpp"
#include "../../cpu/cpu_backend.hpp"
#include "../../datasets/select.hpp"
#include "../../datasets/stored/feature_file.hpp"
#include "../../datasets/stored/stored_features.hpp"
#include "../../mlp/mlp.hpp"
#include "../../mlp/training/training_fingerprint.hpp"
#include "../scratch_folder.hpp"

namespace mlp {

namespace {

using datasets::Dataset;

/// Instances with many features that are zero, and the labels 0, 1 and 2.
Dataset make_data(Index num_features, Index num_instances) {
  SparkRandom random(5);
  Dataset data;
  data.features.resize(num_features, num_instances);
  for (Index i = 0; i < data.features.size(); ++i) {
    const double x = random.next_double();
    data.features.data()[i] = x < 0.5 ? 0.0 : 3.0 * x - 2.0;
  }
  data.labels.resize(num_instances);
  for (double& label : data.labels) {
    label = static_cast<double>(static_cast<int>(random.next_double() * 3));
  }
  return data;
}

/// Moves the features to a file.
Dataset stored(Dataset data, const test::ScratchFolder& folder) {
  const auto file = std::make_shared<datasets::FeatureFile>(
      folder.path(), data.num_features(), datasets::StoredNumber::kFloat64);
  file->append(data.features.data(), data.num_instances());
  data.features.resize(0, 0);
  data.stored = std::make_shared<const datasets::StoredFeatures>(file);
  return data;
}

Params params_of(std::vector<Index> layers, Solver solver = Solver::kLbfgs) {
  Params params;
  params.layers = std::move(layers);
  params.solver = solver;
  if (has_mini_batches(solver)) params.shuffle = Shuffle::kRows;
  params.seed = 3;
  params.max_iter = 3;
  params.batch_size = 100;
  params.step_size = 0.05;
  return params;
}

FitOptions options_of(const Backend& backend = cpu::backend(),
                      Precision precision = Precision::kFloat64) {
  FitOptions options;
  options.backend = &backend;
  options.precision = precision;
  options.num_threads = 2;
  return options;
}

/// Checks that a training from a file has the bits of the training in memory.
void check_fit(const Params& params, const Dataset& data,
               const FitOptions& options) {
  CAPTURE(options.backend->name());
  CAPTURE(precision_name(options.precision));
  CAPTURE(params.layers);
  const test::ScratchFolder folder;
  const FitResult expected = fit_model(params, data, options);

  const FitResult result = fit_model(params, stored(data, folder), options);

  CHECK(result.model.weights() == expected.model.weights());
  CHECK(result.summary.objective_history == expected.summary.objective_history);
  CHECK(result.summary.validation_history ==
        expected.summary.validation_history);
  CHECK(result.model.scaler().has_value() ==
        expected.model.scaler().has_value());
  REQUIRE(result.warnings.size() == expected.warnings.size());
  for (std::size_t i = 0; i < result.warnings.size(); ++i) {
    CHECK(result.warnings[i].sentence == expected.warnings[i].sentence);
  }
}

/// Networks of the engines for few units and for many.
const std::vector<std::vector<Index>> kNetworks = {{9, 4, 3}, {40, 70, 30, 3}};

}  // namespace

TEST_SUITE("cpu/stored_training") {
  TEST_CASE("full-batch trainings have the bits of those in memory") {
    for (const auto& layers : kNetworks) {
      const Dataset data = make_data(layers.front(), 3001);
      for (const Solver solver : {Solver::kLbfgs, Solver::kGradientDescent}) {
        const Params params = params_of(layers, solver);
        check_fit(params, data, options_of(reference_backend()));
        check_fit(params, data, options_of());
        check_fit(params, data,
                  options_of(cpu::backend(), Precision::kFloat32));
      }
    }
  }

  TEST_CASE("so do those by mini-batches") {
    for (const auto& layers : kNetworks) {
      const Dataset data = make_data(layers.front(), 1001);
      for (const Solver solver : {Solver::kSgd, Solver::kAdam}) {
        for (const Shuffle shuffle : {Shuffle::kRows, Shuffle::kSlabs}) {
          Params params = params_of(layers, solver);
          params.shuffle = shuffle;
          check_fit(params, data, options_of(reference_backend()));
          check_fit(params, data, options_of());
          check_fit(params, data,
                    options_of(cpu::backend(), Precision::kFloat32));
        }
      }
    }
  }

  TEST_CASE("mini-batches of a file are slabs unless rows are asked for") {
    const test::ScratchFolder folder;
    const Dataset data = make_data(9, 1001);
    Params params = params_of({9, 4, 3}, Solver::kAdam);
    params.shuffle = Shuffle::kAuto;
    const auto fit = [&](const Dataset& some) {
      return fit_model(params, some, options_of());
    };
    const FitResult rows = fit(data);
    const FitResult in_file = fit(stored(data, folder));
    params.shuffle = Shuffle::kSlabs;
    const FitResult slabs = fit(data);

    CHECK(in_file.model.weights() == slabs.model.weights());
    CHECK(rows.model.weights() != slabs.model.weights());
    // The first epoch is the same.
    CHECK(rows.summary.objective_history[1] ==
          slabs.summary.objective_history[1]);
  }

  TEST_CASE("so do those whose threads share one gradient") {
    const std::vector<Index> layers = {40, 12000, 3};
    REQUIRE(cpu::backend().shares_gradient(Topology(layers)));
    Params params = params_of(layers);
    params.max_iter = 1;

    check_fit(params, make_data(40, 300), options_of());
  }

  TEST_CASE("scaled and weighted instances, with others for validation") {
    Dataset data = make_data(9, 3001);
    data.features.row(2) *= 1000.0;
    data.weights = Vector::LinSpaced(3001, 0.0, 2.0);
    Dataset others = make_data(9, 500);
    others.features.row(2) *= 1000.0;
    const test::ScratchFolder folder;
    const Dataset in_file = stored(others, folder);
    for (const Solver solver : {Solver::kLbfgs, Solver::kAdam}) {
      FitOptions options = options_of();
      options.is_standardizing = true;
      options.validation = &others;
      check_fit(params_of({9, 4, 3}, solver), data, options);
      const FitResult expected =
          fit_model(params_of({9, 4, 3}, solver), data, options);
      options.validation = &in_file;
      const FitResult result =
          fit_model(params_of({9, 4, 3}, solver), data, options);
      CHECK(result.summary.validation_history ==
            expected.summary.validation_history);
    }
  }

  TEST_CASE("bins of numbers") {
    Params params = params_of({9, 4, 3});
    params.numeric_encoding = {4};
    FitOptions options = options_of();

    check_fit(params, make_data(9, 2000), options);
    options.is_standardizing = true;
    check_fit(params, make_data(9, 2000), options);
  }

  TEST_CASE("a regression") {
    Params params = params_of({9, 4, 1});
    params.task = Task::kRegression;

    check_fit(params, make_data(9, 2000), options_of());
    check_fit(params, make_data(9, 2000), options_of(reference_backend()));
  }

  TEST_CASE("borrowed features are scaled as they are read") {
    const Dataset data = make_data(9, 2001);
    Dataset borrowed = data;
    borrowed.features.resize(0, 0);
    borrowed.borrowed = {data.features.data(), 9, 2001};
    borrowed.store_borrowed();
    for (const Solver solver : {Solver::kLbfgs, Solver::kAdam}) {
      FitOptions options = options_of();
      options.is_standardizing = true;
      const Params params = params_of({9, 4, 3}, solver);

      CHECK(fit_model(params, borrowed, options).model.weights() ==
            fit_model(params, data, options).model.weights());
    }
  }

  TEST_CASE("chosen instances are read where they are") {
    const Dataset data = make_data(9, 3001);
    const test::ScratchFolder folder;
    std::vector<Index> some;
    for (Index i = 3000; i >= 0; i -= i % 7 == 0 ? 1 : 3) some.push_back(i);
    const Params params = params_of({9, 4, 3});

    const FitResult expected =
        fit_model(params, datasets::select(data, some), options_of());
    const FitResult result = fit_model(
        params, datasets::select(stored(data, folder), some), options_of());

    CHECK(result.model.weights() == expected.model.weights());
  }

  TEST_CASE("models predict and evaluate instances in a file") {
    const Dataset data = make_data(9, 70001);
    const test::ScratchFolder folder;
    const Dataset in_file = stored(data, folder);
    const Model model =
        fit_model(params_of({9, 4, 3}), make_data(9, 500), options_of()).model;
    const Scorer scorer(model, cpu::backend());

    CHECK(scorer.predict_raw(in_file) == scorer.predict_raw(data));
    CHECK(evaluate(model, in_file, cpu::backend()).accuracy() ==
          evaluate(model, data, cpu::backend()).accuracy());
    CHECK(dataset_digest(in_file) == dataset_digest(data));
  }
}

}  // namespace mlp
