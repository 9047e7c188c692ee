// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../cpu/cpu_backend.hpp"
#include "../../mlp/classifier.hpp"
#include "../../mlp/instances/feature_store.hpp"
#include "../../mlp/instances/training_instances.hpp"
#include "../../mlp/params/param_rules.hpp"
#include "../../mlp/training/training_memory.hpp"
#include "../mlp/backend/slice_evaluators.hpp"
#include "random_networks.hpp"

namespace mlp {

namespace {

using datasets::Dataset;

/// Networks of each engine, and instances whose features take 4 MB or more.
struct Shape {
  std::vector<Index> layers;
  Index num_instances;
};
const Shape kTiles{{101, 24, 3}, 6011};
const Shape kLanes{{7, 5, 3}, 90013};

/// Features that float keeps. None is zero.
Dataset make_data(const Shape& shape) {
  SparkRandom random(5);
  Dataset data;
  data.features.resize(shape.layers.front(), shape.num_instances);
  for (Index i = 0; i < data.features.size(); ++i) {
    data.features.data()[i] =
        static_cast<double>(1 + static_cast<int>(random.next_double() * 255)) /
        256.0;
  }
  data.labels.resize(shape.num_instances);
  for (double& label : data.labels) {
    label = static_cast<double>(static_cast<int>(random.next_double() * 3));
  }
  return data;
}

Params params_of(const Shape& shape, Solver solver) {
  Params params;
  params.layers = shape.layers;
  params.solver = solver;
  params.seed = 3;
  params.max_iter = has_mini_batches(solver) ? 1 : 3;
  params.batch_size = 512;
  params.step_size = 0.05;
  return params;
}

FitOptions options_of(Precision precision,
                      const Backend& backend = cpu::backend()) {
  FitOptions options;
  options.backend = &backend;
  options.precision = precision;
  options.num_threads = 2;
  return options;
}

/// True if a copy has replaced the rows.
bool is_replaced(const TrainingInstances& instances) {
  return instances.data().features.size() == 0;
}

/// Reads all rows, some at a time.
Matrix read_rows(const TrainingInstances& instances, Index num_features) {
  constexpr Index kSize = 1000;
  Matrix all(num_features, instances.num_instances());
  Matrix buffer;
  for (Index first = 0; first < all.cols(); first += kSize) {
    const Index count = std::min(kSize, all.cols() - first);
    all.middleCols(first, count) = instances.rows(first, count, buffer);
  }
  return all;
}

/// Trains on instances that the fit owns, and checks that it is the same training.
///
/// \param replaces  true if a copy replaces the rows
void check_fit(const Shape& shape, Solver solver, FitOptions options,
               bool replaces) {
  CAPTURE(options.backend->name());
  CAPTURE(precision_name(options.precision));
  const Classifier classifier(params_of(shape, solver));
  Dataset data = make_data(shape);
  const Matrix before = data.features;
  const FitResult expected = classifier.fit(data, options);
  TrainingInstances instances(std::move(data));
  bool was_replaced = false;
  bool is_readable = true;
  options.on_iteration = [&](const optim::Iteration& iteration) {
    if (iteration.iteration > 0) was_replaced = is_replaced(instances);
    is_readable = is_readable && read_rows(instances, before.rows()) == before;
    return true;
  };

  const FitResult result = classifier.fit(instances, options);
  const FitResult again = classifier.fit(instances, options);

  CHECK(result.model.weights() == expected.model.weights());
  CHECK(result.summary.objective_history == expected.summary.objective_history);
  CHECK(again.model.weights() == expected.model.weights());
  CHECK(was_replaced == replaces);
  CHECK(is_readable);
  CHECK(read_rows(instances, before.rows()) == before);
}

/// Checks that the rows can be read after fits that end early.
///
/// \param fit  called as fit(classifier, instances, options); fits
template <class Fit>
void check_interrupted(const Fit& fit) {
  for (const Shape& shape : {kTiles, kLanes}) {
    for (const Solver solver : {Solver::kLbfgs, Solver::kAdam}) {
      Dataset data = make_data(shape);
      const Matrix before = data.features;
      FitOptions options = options_of(Precision::kFloat32);
      TrainingInstances instances(std::move(data));

      fit(Classifier(params_of(shape, solver)), instances, options);

      CHECK(read_rows(instances, before.rows()) == before);
    }
  }
}

}  // namespace

TEST_SUITE("cpu/owned_features") {
  TEST_CASE("trains to the same bits while a copy replaces the rows") {
    for (const Backend* backend : cpu::usable_backends()) {
      for (const Precision precision :
           {Precision::kFloat64, Precision::kFloat32}) {
        const FitOptions options = options_of(precision, *backend);
        check_fit(kTiles, Solver::kLbfgs, options, true);
        check_fit(kLanes, Solver::kGradientDescent, options, true);
      }
    }
  }

  TEST_CASE("replaces the rows of mini-batches in float32 only") {
    check_fit(kTiles, Solver::kAdam, options_of(Precision::kFloat32), true);
    check_fit(kTiles, Solver::kAdam, options_of(Precision::kFloat64), false);
  }

  TEST_CASE("keeps the rows of the reference backend") {
    check_fit({{101, 2, 3}, 311}, Solver::kLbfgs,
              options_of(Precision::kFloat64, reference_backend()), false);
  }

  TEST_CASE("never changes features that the fit views") {
    Dataset data = make_data(kTiles);
    data.features *= 0.3;
    const Matrix before = data.features;
    FitOptions options = options_of(Precision::kFloat32);
    bool is_kept = true;
    options.on_iteration = [&](const optim::Iteration&) {
      is_kept = is_kept && data.features == before;
      return true;
    };

    static_cast<void>(
        Classifier(params_of(kTiles, Solver::kLbfgs)).fit(data, options));

    CHECK(is_kept);
    CHECK(data.features == before);
  }

  TEST_CASE("rounds features that the fit owns to float32") {
    Dataset data = make_data(kTiles);
    data.features *= 0.3;
    const Matrix rounded = data.features.cast<float>().cast<double>();
    const FitOptions options = options_of(Precision::kFloat32);
    const Classifier classifier(params_of(kTiles, Solver::kLbfgs));
    const FitResult expected = classifier.fit(data, options);
    TrainingInstances instances(std::move(data));

    const FitResult result = classifier.fit(instances, options);

    CHECK(result.model.weights() == expected.model.weights());
    CHECK(read_rows(instances, rounded.rows()) == rounded);
  }

  TEST_CASE("counts no memory for a copy that replaces the rows") {
    const Params params = params_of(kTiles, Solver::kLbfgs);
    const Topology topology = topology_of(params);
    const auto num_features =
        static_cast<double>(kTiles.num_instances * kTiles.layers.front());
    for (const Precision precision :
         {Precision::kFloat64, Precision::kFloat32}) {
      const FitOptions options = options_of(precision);
      const auto kernels = [&](bool owns_features) {
        return training_memory(topology, params, options,
                               {kTiles.num_instances, owns_features})
            .kernels;
      };

      CHECK(kernels(false) - kernels(true) ==
            (precision == Precision::kFloat64 ? 8.0 : 4.0) * num_features);
    }
  }

  TEST_CASE("leaves the rows readable if the training throws") {
    check_interrupted([](const Classifier& classifier,
                         TrainingInstances& instances, FitOptions& options) {
      options.on_iteration = [](const optim::Iteration& iteration) -> bool {
        if (iteration.iteration == 0) return true;
        throw std::runtime_error("a failure");
      };

      CHECK_THROWS_WITH(classifier.fit(instances, options), "a failure");
    });
  }

  TEST_CASE("leaves the rows readable if the training is stopped") {
    check_interrupted([](const Classifier& classifier,
                         TrainingInstances& instances, FitOptions& options) {
      std::atomic<bool> is_stopping = false;
      options.is_stopping = &is_stopping;
      options.on_iteration = [&](const optim::Iteration&) {
        is_stopping = true;
        return true;
      };

      static_cast<void>(classifier.fit(instances, options));

      CHECK(is_stopping);
    });
  }

  TEST_CASE("does not replace the rows for a slice of them") {
    const Topology topology(kTiles.layers);
    const Index half = kTiles.num_instances;
    testing::RandomInstances instances =
        testing::draw_instances(topology, 2 * half);
    const Matrix before = instances.features;
    FeatureStore store(instances.features);
    InstanceRange all = instances.range();
    all.store = &store;
    InstanceRange slice =
        all.slice(half, half, topology.num_features(), topology.num_classes());
    slice.first = 0;

    testing::make_slice_evaluator(cpu::backend(), topology)->bind(slice);

    CHECK(instances.features == before);
  }

  TEST_CASE("refuses a validation with the features that the fit owns") {
    const Classifier classifier(params_of(kTiles, Solver::kLbfgs));
    TrainingInstances instances(make_data(kTiles));
    FitOptions options = options_of(Precision::kFloat64);
    options.validation = &instances.data();

    CHECK_THROWS_WITH_AS(
        classifier.fit(instances, options),
        "validation must have features of its own; got those of the instances "
        "that the fit owns and may replace; copy them, or let the fit view its "
        "instances",
        ParamError);
  }

  TEST_CASE("standardises a copy, which the fit owns") {
    const Classifier classifier(params_of(kTiles, Solver::kLbfgs));
    const Dataset data = make_data(kTiles);
    const Matrix before = data.features;
    FitOptions options = options_of(Precision::kFloat64);
    options.is_standardizing = true;
    options.validation = &data;

    const FitResult result = classifier.fit(data, options);

    CHECK(result.summary.validation_history.size() ==
          result.summary.objective_history.size());
    CHECK(data.features == before);
  }
}

}  // namespace mlp
