// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

#include "../../core/error.hpp"
#include "../../cpu/cpu_backend.hpp"
#include "../../mlp/classifier.hpp"
#include "../../mlp/params/param_rules.hpp"
#include "../../mlp/training/training_memory.hpp"
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

/// Features that float keeps, so that it can lend them too. None is zero.
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

/// The share of the features whose pages are released: these are zero.
double released_share(const Matrix& features) {
  return static_cast<double>((features.array() == 0.0).count()) /
         static_cast<double>(features.size());
}

/// Trains with lent features, and checks that nothing read them.
///
/// \param least_share  of the features that must be released during the training
void check_fit(const Shape& shape, Solver solver, FitOptions options,
               double least_share) {
  CAPTURE(options.backend->name());
  CAPTURE(precision_name(options.precision));
  const Classifier classifier(params_of(shape, solver));
  Dataset data = make_data(shape);
  const Matrix before = data.features;
  const FitResult expected = classifier.fit(data, options);
  double share = 0.0;
  options.on_iteration = [&](const optim::Iteration& iteration) {
    if (iteration.iteration > 0) share = released_share(data.features);
    return true;
  };
  options.lent_features = data.features.data();

  const FitResult result = classifier.fit(data, options);

  CHECK(result.model.weights() == expected.model.weights());
  CHECK(result.summary.objective_history == expected.summary.objective_history);
  CHECK(share >= least_share);
  CHECK(data.features == before);
}

/// Checks that lent features are as before after fits that end early.
///
/// \param fit  called as fit(classifier, data, options); fits
template <class Fit>
void check_interrupted(const Fit& fit) {
  for (const Shape& shape : {kTiles, kLanes}) {
    for (const Solver solver : {Solver::kLbfgs, Solver::kAdam}) {
      Dataset data = make_data(shape);
      const Matrix before = data.features;
      FitOptions options = options_of(Precision::kFloat32);
      options.lent_features = data.features.data();

      fit(Classifier(params_of(shape, solver)), data, options);

      CHECK(data.features == before);
    }
  }
}

}  // namespace

TEST_SUITE("cpu/lent_features") {
  TEST_CASE("trains to the same bits while the features are released") {
    for (const Backend* backend : cpu::usable_backends()) {
      for (const Precision precision :
           {Precision::kFloat64, Precision::kFloat32}) {
        const FitOptions options = options_of(precision, *backend);
        check_fit(kTiles, Solver::kLbfgs, options, 0.2);
        check_fit(kLanes, Solver::kGradientDescent, options, 0.2);
      }
    }
  }

  TEST_CASE("releases the features of mini-batches in float32 only") {
    check_fit(kTiles, Solver::kAdam, options_of(Precision::kFloat32), 0.2);
    check_fit(kTiles, Solver::kAdam, options_of(Precision::kFloat64), 0.0);
  }

  TEST_CASE("keeps features that float32 would round") {
    const Shape& shape = kTiles;
    Dataset data = make_data(shape);
    data.features *= 0.3;
    const Matrix before = data.features;
    FitOptions options = options_of(Precision::kFloat32);
    options.lent_features = data.features.data();
    bool is_kept = true;
    options.on_iteration = [&](const optim::Iteration&) {
      is_kept = is_kept && data.features == before;
      return true;
    };

    static_cast<void>(
        Classifier(params_of(shape, Solver::kLbfgs)).fit(data, options));

    CHECK(is_kept);
    CHECK(data.features == before);
  }

  TEST_CASE("rounds features to float32 if it may") {
    Dataset data = make_data(kTiles);
    data.features *= 0.3;
    const Matrix rounded = data.features.cast<float>().cast<double>();
    FitOptions options = options_of(Precision::kFloat32);
    const Classifier classifier(params_of(kTiles, Solver::kLbfgs));
    const FitResult expected = classifier.fit(data, options);
    options.lent_features = data.features.data();
    options.may_round_lent_features = true;

    const FitResult result = classifier.fit(data, options);

    CHECK(result.model.weights() == expected.model.weights());
    CHECK(data.features == rounded);
  }

  TEST_CASE("counts no memory for a copy of lent features") {
    const Params params = params_of(kTiles, Solver::kLbfgs);
    const Topology topology = topology_of(params);
    Dataset data = make_data(kTiles);
    FitOptions options = options_of(Precision::kFloat64);
    const auto kernels = [&] {
      return training_memory(topology, params, options, kTiles.num_instances)
          .kernels;
    };
    const double with_copy = kernels();

    options.lent_features = data.features.data();

    CHECK(with_copy - kernels() ==
          8.0 * static_cast<double>(data.features.size()));
    options.precision = Precision::kFloat32;  // may round, so originals stay
    const double in_float = kernels();
    options.may_round_lent_features = true;
    CHECK(in_float - kernels() ==
          4.0 * static_cast<double>(data.features.size()));
  }

  TEST_CASE("writes the features again if the training throws") {
    check_interrupted([](const Classifier& classifier, const Dataset& data,
                         FitOptions& options) {
      options.on_iteration = [](const optim::Iteration& iteration) -> bool {
        if (iteration.iteration == 0) return true;
        throw std::runtime_error("a failure");
      };

      CHECK_THROWS_WITH(static_cast<void>(classifier.fit(data, options)),
                        "a failure");
    });
  }

  TEST_CASE("writes the features again if the training is stopped") {
    check_interrupted([](const Classifier& classifier, const Dataset& data,
                         FitOptions& options) {
      std::atomic<bool> is_stopping = false;
      options.is_stopping = &is_stopping;
      options.on_iteration = [&](const optim::Iteration&) {
        is_stopping = true;
        return true;
      };

      static_cast<void>(classifier.fit(data, options));

      CHECK(is_stopping);
    });
  }

  TEST_CASE("keeps the neighbours of a slice that is lent") {
    const Topology topology(kTiles.layers);
    const Index half = kTiles.num_instances;
    const testing::RandomInstances instances =
        testing::draw_instances(topology, 2 * half);
    Matrix features = instances.features;
    InstanceRange all = instances.range();
    all.features = features.data();
    all.lent_features = features.data();
    const auto bind = [&](Index first) {
      InstanceRange slice = all.slice(first, half, topology.num_features(),
                                      topology.num_classes());
      slice.first = 0;
      auto evaluator = cpu::backend().make_evaluator(topology);
      evaluator->bind(slice);
      return evaluator;
    };

    auto left = bind(0);
    CHECK(features.rightCols(half) == instances.features.rightCols(half));
    auto right = bind(half);
    CHECK(released_share(features) > 0.2);
    right.reset();
    CHECK(features.rightCols(half) == instances.features.rightCols(half));
    left.reset();
    CHECK(features == instances.features);
  }

  TEST_CASE("refuses other features than those of the data") {
    const Classifier classifier(params_of(kTiles, Solver::kLbfgs));
    Dataset data = make_data(kTiles);
    Matrix others = data.features;
    FitOptions options = options_of(Precision::kFloat64);

    options.lent_features = others.data();
    CHECK_THROWS_WITH_AS(static_cast<void>(classifier.fit(data, options)),
                         "lent_features must be the features of the data that "
                         "are trained on, or "
                         "null; got other memory",
                         ParamError);

    options.lent_features = data.features.data();
    options.validation = &data;
    CHECK_THROWS_WITH_AS(
        static_cast<void>(classifier.fit(data, options)),
        "lent_features must be null if the validation has the same features, "
        "because it reads them during the training; copy them, or lend none",
        ParamError);
    CHECK(data.features == others);
  }

  TEST_CASE("standardises a copy, and lends that") {
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
