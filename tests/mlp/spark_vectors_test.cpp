// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "../../datasets/random_split.hpp"
#include "../../mlp/classifier.hpp"
#include "../../mlp/instances/block_weights.hpp"
#include "../../mlp/network/initial_weights.hpp"
#include "../../mlp/objective/training_objective.hpp"
#include "../../optim/lbfgs/lbfgs.hpp"
#include "golden_fit.hpp"
#include "spark_problems.hpp"

// Numbers that Spark's tests, documents and saved models state, and numbers
// computed by an independent implementation that real Spark confirmed.

namespace mlp::testing {
namespace {

/// Histories before the paths of rounding part.
constexpr double kHistoryTolerance = 1e-9;

/// A gradient is a sum of a few terms.
constexpr double kGradientTolerance = 1e-14;

/// Numbers printed with six digits or with the end of a long run in them.
constexpr double kEndTolerance = 1e-3;

Params make_params(std::vector<Index> layers, std::int64_t seed) {
  Params params;
  params.layers = std::move(layers);
  params.seed = seed;
  return params;
}

FitResult fit(const Params& params, const datasets::Dataset& data) {
  return Classifier(params).fit(data);
}

void check_beginning(const optim::Summary& summary,
                     const std::vector<double>& expected) {
  REQUIRE(summary.objective_history.size() >= expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(summary.objective_history[i] - expected[i]) <=
          kHistoryTolerance * expected[i]);
  }
}

std::vector<double> first(const Vector& numbers, Index count) {
  return {numbers.data(), numbers.data() + count};
}

datasets::Dataset read_sample() {
  return datasets::read_libsvm_file(
      std::string(MLP_DATA_DIR) + "/sample_multiclass_classification_data.txt");
}

}  // namespace

TEST_SUITE("mlp/spark_vectors") {
  TEST_CASE("evaluates objective and gradient of XOR as vector A") {
    const datasets::Dataset data = make_xor();
    const Topology topology({2, 2, 2});
    const Vector weights = draw_initial_weights(topology, 123);
    const std::vector<std::int32_t> labels = {0, 1, 1, 0};
    const Vector instance_weights = block_weights({4}, 1);
    const InstanceRange instances{4, data.features.data(),
                                  instance_weights.data(), labels.data(),
                                  nullptr};
    TrainingObjective objective(topology, instances, {&reference_backend(), 1});
    Vector expected(12);
    expected << -0.022809576496479307, 0.0023019925825713446,
        0.012862924347077427, -0.001910234364819071, -0.006756944402114121,
        0.001785299538143808, 0.032419994282498615, -0.032419994282498615,
        -0.0014338545053484975, 0.0014338545053485113, 0.010067407347251561,
        -0.01006740734725152;

    Vector gradient(12);
    const double value = objective.value_and_gradient(weights, gradient);

    CHECK(value == doctest::Approx(0.7234981242036205).epsilon(1e-14));
    CHECK((gradient - expected).norm() <= kGradientTolerance);
  }

  TEST_CASE("trains XOR with 2 hidden units as vector B for any blocks") {
    for (const Index block_size : {1, 4}) {
      Params params = make_params({2, 2, 2}, 123);
      params.block_size = block_size;

      const FitResult result = fit(params, make_xor());

      check_beginning(result.summary, {0.7234981242036205, 0.7138124725518871,
                                       0.7029346325381108, 0.6928100849416166,
                                       0.6915171281711181, 0.6903767988944387});
      CHECK(result.summary.convergence_reason ==
            optim::ConvergenceReason::kGradientConverged);
      CHECK(result.summary.total_iterations() == 37);
      CHECK(result.summary.evaluations == 42);
      CHECK(result.summary.objective_history.back() ==
            doctest::Approx(6.97446e-09).epsilon(1e-5));
      const Vector& weights = result.model.weights();
      CHECK(weights[0] == doctest::Approx(-41.418938).epsilon(1e-7));
      CHECK(weights[1] == doctest::Approx(10.032913).epsilon(1e-7));
      CHECK(weights[2] == doctest::Approx(13.259695).epsilon(1e-7));
    }
  }

  TEST_CASE("answers as PySpark's doctest prints") {
    Params params = make_params({2, 2, 2}, 123);
    params.block_size = 1;
    Vector instance(2);
    instance << 1, 0;

    const Model model = fit(params, make_xor()).model;

    const Vector raw = model.predict_raw(instance);
    CHECK(raw[0] == doctest::Approx(-16.20797954).epsilon(1e-7));
    CHECK(raw[1] == doctest::Approx(16.34397053).epsilon(1e-7));
    CHECK(model.weights().size() == 12);
    CHECK(model.predict(instance)[0] == 1.0);
    CHECK(model.predict(Vector::Zero(2))[0] == 0.0);
    CHECK(model.predict_probability(instance)(1, 0) ==
          doctest::Approx(1.0).epsilon(1e-7));
  }

  TEST_CASE("gives another model from the doctest's initial weights") {
    Params params = make_params({2, 2, 2}, 123);
    const Vector weights = fit(params, make_xor()).model.weights();
    params.initial_weights = Vector::LinSpaced(12, 0, 11);

    const FitResult other = fit(params, make_xor());

    CHECK(other.model.weights() != weights);
  }

  TEST_CASE("trains XOR with 5 hidden units as vector C") {
    const Params params = make_params({2, 5, 2}, 123);

    const FitResult result = fit(params, make_xor());

    check_beginning(result.summary, {0.7518878363442769, 0.7017051173377209,
                                     0.7004211859806263, 0.6957870348376681});
    CHECK(result.summary.objective_history.size() == 38);
    CHECK(result.summary.evaluations == 40);
    CHECK(result.summary.objective_history.back() ==
          doctest::Approx(1.43e-09).epsilon(5e-3));
    CHECK(evaluate(result.model, make_xor()).accuracy() == 1.0);
  }

  TEST_CASE("averages blocks rather than instances as vector D") {
    Params params = make_params({2, 2, 2}, 123);
    params.block_size = 2;
    params.max_iter = 3;

    const FitResult result =
        fit(params, make_dataset({{0, 0, 0}, {0, 1, 1}, {1, 0, 1}}));

    check_beginning(result.summary, {0.6931983477482873, 0.5883571894648306,
                                     0.5635340895501166, 0.5576372480637939});
    CHECK(result.summary.objective_history.size() == 4);
  }

  TEST_CASE("descends the gradient as vector E") {
    Params params = make_params({2, 5, 2}, 123);
    params.solver = Solver::kGradientDescent;
    params.max_iter = 5;

    const FitResult five = fit(params, make_xor());
    params.step_size = 0.5;
    params.tol = 1e-3;
    params.max_iter = 1000;
    const FitResult converged = fit(params, make_xor());

    check_beginning(five.summary, {0.7518878363442769, 0.7475563598821077,
                                   0.7435807843144762, 0.7399340495320077,
                                   0.7365907509172943, 0.7335271041578678});
    CHECK(five.summary.objective_history.size() == 6);
    CHECK(converged.summary.objective_history.size() == 519);
    CHECK(converged.summary.convergence_reason ==
          optim::ConvergenceReason::kWeightsConverged);
  }

  TEST_CASE("trains the sample file as vector F and as SparkR's test") {
    Params params = make_params({4, 5, 4, 3}, 1);
    params.tol = 1e-5;
    constexpr double kSparkRTolerance = 1e-1;
    const double weights[] = {-24.28415, 107.8701, 16.86376, 1.103736,
                              9.244488};
    const datasets::Dataset data = read_sample();

    const FitResult result = fit(params, data);

    const auto& history = result.summary.objective_history;
    check_beginning(result.summary, {1.259066357364886, 1.1366453945817232,
                                     1.0724574402971478, 1.0639201804086116,
                                     1.0520708148315931, 0.9445296828464578});
    CHECK(history.at(20) ==
          doctest::Approx(0.02128736206985077).epsilon(kHistoryTolerance));
    CHECK(history.at(100) ==
          doctest::Approx(0.008924698111067829).epsilon(kEndTolerance));
    for (Index i = 0; i < 5; ++i) {
      CHECK(result.model.weights()[i] ==
            doctest::Approx(weights[i]).epsilon(kSparkRTolerance));
    }
    CHECK(first(result.model.predict(data.features), 6) ==
          std::vector<double>{1, 1, 1, 1, 0, 1});
  }

  TEST_CASE("counts iterations on two partitions as vector G") {
    const std::vector<std::pair<Index, Index>> counts = {
        {1, 1}, {5, 5}, {10, 10}, {20, 20}, {100, 37}};
    datasets::Dataset data = make_xor();
    data.partition_sizes = {2, 2};
    for (const auto& [max_iter, iterations] : counts) {
      Params params = make_params({2, 3, 2}, -763139545);
      params.max_iter = max_iter;

      const FitResult result = fit(params, data);

      CHECK(result.summary.total_iterations() == iterations);
    }
  }

  TEST_CASE("predicts the first rows of the sample file as SparkR's tests") {
    const datasets::Dataset data = read_sample();
    Params by_default = make_params({4, 5, 4, 3}, Params{}.seed);
    Params seed_10 = make_params({4, 5, 4, 3}, 10);
    Params from_weights = make_params({4, 3}, 1);
    from_weights.initial_weights.emplace(15);
    *from_weights.initial_weights << 0, 0, 0, 0, 0, 5, 5, 5, 5, 5, 9, 9, 9, 9,
        9;
    for (const Params& params : {by_default, seed_10, from_weights}) {
      const FitResult result = fit(params, data);

      CHECK(first(result.model.predict(data.features), 10) ==
            std::vector<double>{1, 1, 1, 1, 0, 1, 2, 2, 1, 0});
    }
  }

  TEST_CASE("stops at once with tol 0.5 as SparkR's test for Spark 2.4") {
    Params params = make_params({4, 5, 4, 3}, 1);
    params.tol = 0.5;
    params.seed_hash = SeedHash::kSpark2;
    const double weights[] = {-0.878743, 0.2154151, -1.16304, -0.6583214,
                              1.009825};
    constexpr double kPrintedDigits = 1e-6;

    const FitResult result = fit(params, read_sample());

    CHECK(result.summary.total_iterations() == 0);
    for (Index i = 0; i < 5; ++i) {
      CHECK(std::abs(result.model.weights()[i] - weights[i]) <= kPrintedDigits);
    }
  }

  TEST_CASE("repeats the guide's example of Spark 2 with its seed hash") {
    const std::vector<double> weights = {0.6, 0.4};
    const auto parts =
        datasets::random_split(read_sample(), weights, 1234, SeedHash::kSpark2);
    Params params = make_params({4, 5, 4, 3}, 1234);
    params.seed_hash = SeedHash::kSpark2;

    const FitResult result = fit(params, parts.at(0));

    CHECK(parts.at(0).num_instances() == 99);
    CHECK(parts.at(1).num_instances() == 51);
    check_beginning(result.summary, {1.4382272270532357, 1.0796030475159748});
    CHECK(result.summary.total_iterations() == 68);
    CHECK(evaluate(result.model, parts.at(1)).accuracy() == 46.0 / 51.0);
  }

  TEST_CASE("trains the model that Spark 2.4.4 saved") {
    std::ifstream file(std::string(MLP_TEST_DATA_DIR) +
                       "/golden/spark-2.4/mlp-2.4.4.json");
    const Vector saved = golden_vector(nlohmann::json::parse(file)["weights"]);
    Params params = make_params({4, 5, 2}, 123);
    params.block_size = 1;
    params.seed_hash = SeedHash::kSpark2;
    constexpr double kSavedTolerance = 2.1e-6;

    const FitResult result = fit(params, make_calibration());

    check_beginning(result.summary, {0.924094977552225});
    CHECK(result.summary.total_iterations() == 48);
    CHECK(result.summary.evaluations == 57);
    CHECK(result.summary.convergence_reason ==
          optim::ConvergenceReason::kFunctionValuesConverged);
    CHECK(result.summary.objective_history.back() ==
          doctest::Approx(0.3465736915624007).epsilon(kHistoryTolerance));
    CHECK((result.model.weights() - saved).cwiseAbs().maxCoeff() <=
          kSavedTolerance);
  }

  TEST_CASE("scores the model that Spark 2.4.4 saved") {
    std::ifstream file(std::string(MLP_TEST_DATA_DIR) +
                       "/golden/spark-2.4/mlp-2.4.4.json");
    const Model model(Topology({4, 5, 2}),
                      golden_vector(nlohmann::json::parse(file)["weights"]));
    constexpr double kScoringTolerance = 1e-12;
    Matrix expected(2, 3);
    expected << 8.029420858031683, -8.02520110665983, 0.6038859688946747,
        -6.88898556116971, 8.422535079262877, 0.6039581379371982;

    const Matrix raw =
        model.predict_raw(make_calibration().features.leftCols(3));

    CHECK((raw - expected).norm() <= kScoringTolerance * expected.norm());
  }

  TEST_CASE("gives calibrated probabilities on contradicting rows") {
    Params params = make_params({4, 5, 2}, 123);
    params.block_size = 1;
    Matrix expected(2, 4);
    expected << 1, 0, 0.5, 0.5, 0, 1, 0.5, 0.5;

    const FitResult result = fit(params, make_calibration());

    check_beginning(result.summary, {1.2715383327453935});
    CHECK(result.summary.total_iterations() == 44);
    CHECK(result.summary.objective_history.back() ==
          doctest::Approx(0.3465736420232839).epsilon(kHistoryTolerance));
    const Matrix probability =
        result.model.predict_probability(make_calibration().features);
    CHECK((probability - expected).cwiseAbs().maxCoeff() <= kEndTolerance);
    CHECK(probability(0, 2) == doctest::Approx(0.500017).epsilon(1e-6));
  }

  TEST_CASE("returns to the same weights when training restarts") {
    Params params = make_params({2, 5, 2}, 12);
    params.block_size = 1;
    params.max_iter = 1;
    constexpr double kRestartTolerance = 1e-4;
    const FitResult start = fit(params, make_xor());
    params.initial_weights = start.model.weights();

    const FitResult once = fit(params, make_xor());
    const FitResult twice = fit(params, make_xor());

    check_beginning(start.summary, {0.7325740206022844, 0.6955651125175782});
    CHECK(start.summary.total_iterations() == 1);
    CHECK((once.model.weights() - twice.model.weights()).norm() <=
          kRestartTolerance);
  }

  TEST_CASE("generates the rows of Spark's test with two hidden layers") {
    const datasets::Dataset data = make_multinomial();

    CHECK(data.labels[0] == 0.0);
    Vector instance(4);
    instance << 7.136004188927946, 2.7919691201951573, 1.8317432259743176,
        0.7229545484599094;
    CHECK((data.features.col(0) - instance).norm() <= 1e-14);
    CHECK((data.labels.array() == 0.0).count() == 352);
    CHECK((data.labels.array() == 1.0).count() == 283);
    CHECK((data.labels.array() == 2.0).count() == 365);
  }

  TEST_CASE("classifies like multinomial regression with two hidden layers") {
    const datasets::Dataset data = make_multinomial();
    Params params = make_params({4, 5, 4, 3}, 11);
    params.block_size = 1;
    Params regression = make_params({4, 3}, 11);
    regression.block_size = 1;
    regression.max_iter = 1000;
    regression.tol = 1e-9;
    Eigen::Matrix<Index, 3, 3> optimum;
    optimum << 160, 66, 126, 75, 125, 83, 109, 64, 192;
    constexpr Index kSparkCellTolerance = 100;

    const FitResult result = fit(params, data);
    const FitResult linear = fit(regression, data);

    check_beginning(result.summary, {1.1965588676959036});
    CHECK(result.summary.objective_history.at(100) ==
          doctest::Approx(0.9844145609589311).epsilon(kEndTolerance));
    CHECK(evaluate(linear.model, data).confusion_matrix() == optimum);
    CHECK((evaluate(result.model, data).confusion_matrix() - optimum)
              .cwiseAbs()
              .maxCoeff() <= kSparkCellTolerance);
  }

  TEST_CASE("learns XOR with squared error as Spark's ANN test") {
    const datasets::Dataset data = make_xor();
    const Topology topology({2, 5, 1}, Loss::kSigmoidSquaredError);
    const Vector instance_weights = block_weights({4}, 1);
    const InstanceRange instances{4, data.features.data(),
                                  instance_weights.data(), nullptr,
                                  data.labels.data()};
    TrainingObjective objective(topology, instances, {&reference_backend(), 1});
    Vector weights = draw_initial_weights(topology, 23124);
    optim::LbfgsOptions options;
    options.max_iter = 20;

    optim::minimize_lbfgs(objective, weights, options);

    const Matrix output = Model(topology, weights).predict_raw(data.features);
    for (Index i = 0; i < 4; ++i) {
      CHECK(std::round(activations::Sigmoid::value(output(0, i))) ==
            data.labels[i]);
    }
  }

  TEST_CASE("agrees with forward differences as Spark's gradient test") {
    constexpr double kStep = 1e-4;
    constexpr double kSparkTolerance = 1e-4;
    const Vector input = Vector::Ones(3);
    const double target[] = {0.0, 1.0};
    const std::int32_t label = 1;
    const double one = 1.0;
    const InstanceRange instance{1, input.data(), &one, &label, target};
    for (const Loss loss : {Loss::kSoftmaxNll, Loss::kSigmoidSquaredError}) {
      const Topology topology({3, 4, 2}, loss);
      TrainingObjective objective(topology, instance,
                                  {&reference_backend(), 1});
      Vector weights = draw_initial_weights(topology, 12);
      Vector gradient(weights.size());
      const double value = objective.value_and_gradient(weights, gradient);

      Vector scratch(weights.size());
      for (Index i = 0; i < weights.size(); ++i) {
        Vector moved = weights;
        moved[i] += kStep;
        const double slope =
            (objective.value_and_gradient(moved, scratch) - value) / kStep;
        CHECK(std::abs(slope - gradient[i]) <= kSparkTolerance);
      }
    }
  }
}

}  // namespace mlp::testing
