// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../mlp/classifier.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../../mlp/instances/block_weights.hpp"
#include "../../mlp/network/initial_weights.hpp"
#include "../thrown_message.hpp"
#include "backend/naive_network.hpp"
#include "spark_problems.hpp"
#include "training/support/rings.hpp"

namespace mlp {

namespace {

using datasets::Dataset;
using namespace testing;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A few roundings of numbers near 1.
constexpr double kRounding = 1e-14;

Params params_of(std::vector<Index> layers, Index max_iter = 100) {
  Params params;
  params.layers = std::move(layers);
  params.max_iter = max_iter;
  params.seed = 123;
  return params;
}

FitResult fit(const Params& params, const Dataset& data,
              const FitOptions& options = {}) {
  return Classifier(params).fit(data, options);
}

double first_objective(const Params& params, const Dataset& data) {
  return fit(params, data).summary.objective_history.front();
}

/// The objective at Spark's initial weights when each instance weighs as given.
double weighted_objective(const Params& params, const Dataset& data,
                          const Vector& weights) {
  const std::vector<std::int32_t> labels(data.labels.begin(),
                                         data.labels.end());
  const Topology topology(params.layers);
  Vector gradient;
  return testing::naive_objective(topology,
                                  draw_initial_weights(topology, params.seed),
                                  {data.num_instances(), data.features.data(),
                                   weights.data(), labels.data(), nullptr},
                                  gradient);
}

template <typename Exception>
std::string refusal(const Params& params, const Dataset& data) {
  return test::thrown_message<Exception>([&] { return fit(params, data); });
}

}  // namespace

TEST_SUITE("mlp/classifier") {
  TEST_CASE("learns exclusive or") {
    const Dataset data = make_xor();

    const FitResult result = fit(params_of({2, 5, 2}), data);

    CHECK(result.model.predict(data.features) == data.labels);
    CHECK(result.summary.convergence_reason ==
          optim::ConvergenceReason::kGradientConverged);
    CHECK(evaluate(result.model, data).accuracy() == 1.0);
  }

  TEST_CASE("separates classes that no straight line does") {
    const Dataset data = make_rings(300);

    const FitResult result = fit(params_of({2, 12, 3}, 300), data);

    CHECK(evaluate(result.model, data).accuracy() > 0.95);
  }

  TEST_CASE("keeps its parameters and hands the thresholds to the model") {
    Params params = params_of({2, 3, 2}, 1);
    params.thresholds = {1.0, 0.0};

    const Classifier classifier(params);
    const FitResult result = classifier.fit(make_xor());

    CHECK(classifier.params().layers == params.layers);
    CHECK(result.model.thresholds() == params.thresholds);
    // A threshold of 0 wins with any positive probability.
    CHECK(result.model.predict(make_xor().features) == Vector::Ones(4));
  }

  TEST_CASE("starts at Spark's initial weights of the seed and its era") {
    Params params = params_of({2, 3, 2}, 0);
    const Topology topology(params.layers);

    CHECK(fit(params, make_xor()).model.weights() ==
          draw_initial_weights(topology, 123, SeedHash::kSpark3));
    params.seed_hash = SeedHash::kSpark2;
    CHECK(fit(params, make_xor()).model.weights() ==
          draw_initial_weights(topology, 123, SeedHash::kSpark2));
  }

  TEST_CASE("starts at the initial weights that are given") {
    Params params = params_of({2, 3, 2}, 0);
    params.initial_weights = Vector::LinSpaced(17, -1.0, 1.0);

    const FitResult result = fit(params, make_xor());

    CHECK(result.model.weights() == *params.initial_weights);
    CHECK(result.summary.total_iterations() == 0);
    CHECK(result.summary.objective_history.size() == 1);
  }

  TEST_CASE("hands maxIter and tol and stepSize to solver gd") {
    Params params = params_of({2, 5, 2}, 7);
    params.solver = Solver::kGradientDescent;
    params.tol = 0.0;
    params.step_size = 0.5;
    std::vector<double> steps;
    FitOptions options;
    options.on_iteration = [&](const optim::Iteration& iteration) {
      steps.push_back(iteration.step_length);
      return true;
    };

    const FitResult result = fit(params, make_xor(), options);

    CHECK(result.summary.total_iterations() == 7);
    CHECK(steps == std::vector<double>{0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
    params.tol = 1.0;
    CHECK(fit(params, make_xor()).summary.convergence_reason ==
          optim::ConvergenceReason::kWeightsConverged);
  }

  TEST_CASE("hands maxIter and tol to solver l-bfgs") {
    Params params = params_of({2, 5, 2}, 3);
    CHECK(fit(params, make_xor()).summary.convergence_reason ==
          optim::ConvergenceReason::kMaxIter);
    CHECK(fit(params, make_xor()).summary.total_iterations() == 3);

    params.tol = 100.0;
    CHECK(fit(params, make_xor()).summary.total_iterations() == 0);
  }

  TEST_CASE("accepts one feature and one class as Spark does") {
    const FitResult result =
        fit(params_of({1, 1}), make_dataset({{1, 0}, {2, 0}}));

    CHECK(result.summary.objective_history == std::vector<double>{0.0});
    CHECK(result.model.predict(Matrix::Ones(1, 2)) == Vector::Zero(2));
  }

  TEST_CASE("gives the same bytes for any number of threads") {
    const Dataset data = make_rings(3000);
    const Params params = params_of({2, 8, 3}, 15);
    const FitResult alone = fit(params, data);

    for (const int num_threads : {0, 2, 3}) {
      FitOptions options;
      options.num_threads = num_threads;
      const FitResult result = fit(params, data, options);

      CAPTURE(num_threads);
      CHECK(result.model.weights() == alone.model.weights());
      CHECK(result.summary.objective_history ==
            alone.summary.objective_history);
      CHECK(result.summary.evaluations == alone.summary.evaluations);
    }
  }
}

TEST_SUITE("mlp/classifier blocks and partitions") {
  TEST_CASE("averages blocks rather than instances when the last is short") {
    Params params = params_of({2, 2, 2}, 0);
    params.block_size = 3;
    const Vector expected = block_weights({4}, 3);

    CHECK(std::abs(first_objective(params, make_xor()) -
                   weighted_objective(params, make_xor(), expected)) <
          kRounding);
    CHECK(expected[0] != expected[3]);
  }

  TEST_CASE("starts a new block with each partition") {
    const Params params = params_of({2, 2, 2}, 0);
    Dataset data = make_xor();
    data.partition_sizes = {1, 3};

    const double expected =
        weighted_objective(params, data, block_weights({1, 3}, 128));

    CHECK(std::abs(first_objective(params, data) - expected) < kRounding);
    CHECK(std::abs(first_objective(params, make_xor()) - expected) > 1e-4);
  }

  TEST_CASE("takes no partition sizes for one partition") {
    const Params params = params_of({2, 2, 2}, 5);
    Dataset data = make_xor();
    data.partition_sizes = {0, 4, 0};

    CHECK(fit(params, data).model.weights() ==
          fit(params, make_xor()).model.weights());
  }

  TEST_CASE("rejects partition sizes that do not sum to the instances") {
    Dataset data = make_xor();
    data.partition_sizes = {2, 1};
    CHECK(
        refusal<ShapeError>(params_of({2, 2}), data) ==
        "partition sizes must be >= 0 and sum to the 4 instances; got [2, 1]");
  }

  TEST_CASE("rejects partition sizes that are negative or overflow") {
    Dataset data = make_xor();
    data.partition_sizes = {5, -1};
    CHECK(
        refusal<ShapeError>(params_of({2, 2}), data) ==
        "partition sizes must be >= 0 and sum to the 4 instances; got [5, -1]");
    data.partition_sizes = {9223372036854775807, 9223372036854775807, 6};
    CHECK_THROWS_AS(fit(params_of({2, 2}), data), ShapeError);
  }
}

TEST_SUITE("mlp/classifier interruption") {
  TEST_CASE("hands running statistics to the model") {
    Params params = params_of({2, 4, 3}, 3);
    params.solver = Solver::kAdam;
    params.batch_norm = true;
    params.batch_size = 10;

    const Model model = fit(params, make_rings(30)).model;

    CHECK(model.statistics().size() == 8);
    CHECK(model.statistics() !=
          BatchNorm::initial_statistics(model.topology()));
  }

  TEST_CASE("returns the initial weights where it is stopped at once") {
    const std::atomic<bool> is_stopping{true};
    FitOptions options;
    options.is_stopping = &is_stopping;

    const FitResult result = fit(params_of({2, 5, 2}), make_xor(), options);

    CHECK(result.summary.convergence_reason ==
          optim::ConvergenceReason::kStoppedByCallback);
    CHECK(result.summary.objective_history.empty());
    CHECK(result.model.weights() ==
          draw_initial_weights(Topology({2, 5, 2}), 123));
  }

  TEST_CASE("returns the last accepted weights where it is stopped later") {
    for (const Solver solver : {Solver::kLbfgs, Solver::kGradientDescent}) {
      std::atomic<bool> is_stopping{false};
      Vector last;
      FitOptions options;
      options.is_stopping = &is_stopping;
      options.on_iteration = [&](const optim::Iteration& iteration) {
        last = iteration.x;
        is_stopping = iteration.iteration == 4;
        return true;
      };
      Params params = params_of({2, 5, 2});
      params.solver = solver;

      const FitResult result = fit(params, make_xor(), options);

      CHECK(result.summary.total_iterations() == 4);
      CHECK(result.summary.convergence_reason ==
            optim::ConvergenceReason::kStoppedByCallback);
      // Gradient descent has made its update before it is stopped.
      CHECK((result.model.weights() == last) == (solver == Solver::kLbfgs));
    }
  }

  TEST_CASE("stops where the callback says so") {
    FitOptions options;
    options.on_iteration = [](const optim::Iteration& iteration) {
      return iteration.iteration < 2;
    };

    const FitResult result = fit(params_of({2, 5, 2}), make_xor(), options);

    CHECK(result.summary.total_iterations() == 2);
    CHECK(result.summary.convergence_reason ==
          optim::ConvergenceReason::kStoppedByCallback);
  }
}

TEST_SUITE("mlp/classifier refusal of parameters") {
  TEST_CASE("rejects the task of a regressor") {
    Params params = params_of({2, 1});
    params.task = Task::kRegression;

    CHECK_THROWS_WITH_AS(Classifier{params},
                         "task must be classification for a Classifier; got "
                         "regression; use a Regressor",
                         ParamError);
  }

  TEST_CASE("rejects layers that are not set") {
    CHECK_THROWS_WITH_AS(
        Classifier{Params{}},
        "layers must be at least 2 sizes, each > 0; got none: set layers",
        ParamError);
  }

  TEST_CASE("rejects the layers that Spark rejects") {
    const std::pair<std::vector<Index>, const char*> cases[] = {
        {{1}, "layers must be at least 2 sizes, each > 0; got [1]"},
        {{0, 1}, "layers must be at least 2 sizes, each > 0; got [0, 1]"},
        {{1, 0}, "layers must be at least 2 sizes, each > 0; got [1, 0]"},
        {{2, -1, 2},
         "layers must be at least 2 sizes, each > 0; got [2, -1, 2]"}};
    for (const auto& [layers, sentence] : cases) {
      CHECK_THROWS_WITH_AS(Classifier{params_of(layers)}, sentence, ParamError);
    }
  }

  TEST_CASE("rejects the numbers that Spark rejects") {
    using Change = void (*)(Params&);
    const char* tol =
        "tol must be a number >= 0, and <= 1 with solver gd; got ";
    const std::pair<Change, std::string> cases[] = {
        {[](Params& p) { p.tol = -1.0; }, std::string(tol) + "-1"},
        {[](Params& p) { p.tol = kNaN; }, std::string(tol) + "NaN"},
        {[](Params& p) {
           p.solver = Solver::kGradientDescent;
           p.tol = 2.0;
         },
         std::string(tol) + "2"},
        {[](Params& p) { p.max_iter = -1; },
         "maxIter must be an integer >= 0; got -1"},
        {[](Params& p) { p.block_size = 0; },
         "blockSize must be an integer > 0; got 0"},
        {[](Params& p) { p.step_size = 0.0; },
         "stepSize must be a number > 0; got 0"}};
    for (const auto& [change, sentence] : cases) {
      Params params = params_of({2, 3, 2});
      change(params);
      CHECK_THROWS_WITH_AS(Classifier{params}, sentence.c_str(), ParamError);
    }
  }

  TEST_CASE("rejects initial weights of a wrong count") {
    Params params = params_of({2, 3, 2});
    params.initial_weights = Vector::Zero(5);

    CHECK_THROWS_WITH_AS(
        Classifier{params},
        "initialWeights must be 17 numbers for layers [2, 3, 2]; got 5",
        ParamError);
  }

  TEST_CASE("rejects the thresholds that Spark rejects") {
    const std::pair<std::vector<double>, const char*> cases[] = {
        {{0.1, 0.2, 0.3}, "thresholds must be 2 numbers, one per class; got 3"},
        {{0.0, 0.0},
         "thresholds must be numbers >= 0, at most one of them 0; got [0, 0]"},
        {{-1.0, 0.5},
         "thresholds must be numbers >= 0, at most one of them 0; "
         "got [-1, 0.5]"}};
    for (const auto& [thresholds, sentence] : cases) {
      Params params = params_of({2, 3, 2});
      params.thresholds = thresholds;
      CHECK_THROWS_WITH_AS(Classifier{params}, sentence, ParamError);
    }
  }
}

TEST_SUITE("mlp/classifier refusal of data") {
  TEST_CASE("rejects a label that is no class and says which instance") {
    const std::pair<double, const char*> cases[] = {{3.0, "3"},
                                                    {-1.0, "-1"},
                                                    {1.5, "1.5"},
                                                    {kNaN, "NaN"},
                                                    {kInfinity, "Infinity"},
                                                    {-0.5, "-0.5"},
                                                    {1e300, "1e+300"}};
    for (const auto& [label, text] : cases) {
      Dataset data = make_xor();
      data.labels[2] = label;
      const std::string sentence =
          "labels must be the integers 0..2 for layers [2, 4, 3]; instance 2 "
          "has label " +
          std::string(text);
      CHECK(refusal<DataError>(params_of({2, 4, 3}), data) == sentence);
    }
  }

  TEST_CASE("rejects label 2 of two classes") {
    Dataset data = make_xor();
    data.labels[0] = 2.0;

    CHECK(refusal<DataError>(params_of({2, 3, 2}), data) ==
          "labels must be the integers 0..1 for layers "
          "[2, 3, 2]; instance 0 has label 2");
  }

  TEST_CASE("rejects a feature that is not finite and says which") {
    Dataset data = make_xor();
    data.features(1, 2) = kNaN;
    CHECK(refusal<DataError>(params_of({2, 3, 2}), data) ==
          "features must be finite; feature 1 of instance 2 is NaN");
    data.features(0, 1) = -kInfinity;
    CHECK(refusal<DataError>(params_of({2, 3, 2}), data) ==
          "features must be finite; feature 0 of instance 1 is -Infinity");
  }

  TEST_CASE("rejects instances of another width where Spark trains") {
    CHECK(refusal<ShapeError>(params_of({1, 3, 2}), make_xor()) ==
          "instances must have 1 features for layers [1, 3, 2]; got 2");
    CHECK(refusal<ShapeError>(params_of({3, 3, 2}), make_xor()) ==
          "instances must have 3 features for layers [3, 3, 2]; got 2");
  }

  TEST_CASE("rejects data without instances") {
    Dataset data;
    data.features.resize(2, 0);

    CHECK(refusal<DataError>(params_of({2, 3, 2}), data) ==
          "training needs at least 1 instance; got 0");
  }

  TEST_CASE("rejects another number of labels than instances") {
    Dataset data = make_xor();
    data.labels.conservativeResize(3);
    CHECK(refusal<ShapeError>(params_of({2, 3, 2}), data) ==
          "labels must be 4, one per instance; got 3");
    data.labels.resize(0);
    CHECK(refusal<ShapeError>(params_of({2, 3, 2}), data) ==
          "labels must be 4, one per instance; got 0");
  }
}

TEST_SUITE("mlp/classifier evaluate") {
  TEST_CASE("compares the model's predictions with the labels") {
    const Dataset data = make_rings(200);
    const Model model = fit(params_of({2, 4, 3}, 10), data).model;

    const Metrics metrics = evaluate(model, data);

    const Vector prediction = model.predict(data.features);
    const auto right = (prediction.array() == data.labels.array()).count();
    CHECK(metrics.num_instances() == 200);
    CHECK(metrics.accuracy() == static_cast<double>(right) / 200.0);
  }

  TEST_CASE("rejects data of another width and says both") {
    const Model model = fit(params_of({2, 3, 2}, 1), make_xor()).model;

    CHECK_THROWS_WITH_AS(
        (void)evaluate(model, make_dataset({{1, 2, 3, 0}})),
        "instances must have 2 features for layers [2, 3, 2]; got 3",
        ShapeError);
  }

  TEST_CASE("rejects data without labels") {
    const Model model = fit(params_of({2, 3, 2}, 1), make_xor()).model;
    Dataset data = make_xor();
    data.labels.resize(0);

    CHECK_THROWS_WITH_AS((void)evaluate(model, data),
                         "predictions must be 0, one per label; got 4",
                         ShapeError);
  }
}

}  // namespace mlp
