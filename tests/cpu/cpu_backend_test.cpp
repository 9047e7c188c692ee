// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../cpu/cpu_backend.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../../mlp/backend/reference_backend.hpp"
#include "../../mlp/network/initial_weights.hpp"
#include "../../mlp/objective/training_objective.hpp"
#include "../mlp/backend/slice_evaluators.hpp"
#include "../mlp/evaluation.hpp"

namespace mlp {
namespace {

/// Another order of summation over at most a few thousand terms.
constexpr double kRoundingTolerance = 1e-12;

/// The same in single precision, relative to the norm.
constexpr double kSingleTolerance = 2e-5;

/// exp is within 1 ulp; the sum and the quotient add half an ulp each.
constexpr double kSigmoidUlps = 3.0;

using testing::Evaluation;

/// Random instances of a topology, deterministic.
struct Problem {
  Problem(const Topology& topology, Index size)
      : features(topology.num_features(), size),
        targets(topology.num_classes(), size),
        instance_weights(size),
        weights(draw_initial_weights(topology, 7)) {
    SparkRandom random(size);
    for (double& x : features.reshaped()) x = 4.0 * random.next_double() - 2.0;
    for (double& t : targets.reshaped()) t = random.next_double();
    for (Index i = 0; i < size; ++i) {
      labels.push_back(static_cast<std::int32_t>(i % topology.num_classes()));
      instance_weights[i] =
          (1.0 + random.next_double()) / static_cast<double>(size);
    }
  }

  [[nodiscard]] InstanceRange range() const {
    return {features.cols(), features.data(), instance_weights.data(),
            labels.data(), targets.data()};
  }

  Matrix features;
  Matrix targets;
  Vector instance_weights;
  Vector weights;
  std::vector<std::int32_t> labels;
};

Evaluation evaluate(const Backend& backend, const Topology& topology,
                    const Problem& problem, int num_threads = 1,
                    Precision precision = Precision::kFloat64) {
  return testing::evaluate_all(topology, problem.range(), problem.weights,
                               {&backend, num_threads, precision});
}

/// Makes most features zero, neighbours together, as in images.
void make_sparse(Problem& problem) {
  SparkRandom random(3);
  for (Index i = 0; i < problem.features.cols(); ++i) {
    for (Index j = 0; j < problem.features.rows(); ++j) {
      if (j % 5 == 0 && random.next_double() < 0.8) {
        problem.features.col(i)
            .segment(j, std::min<Index>(5, problem.features.rows() - j))
            .setZero();
      }
    }
  }
}

/// Instances in front of others. Evaluators look for zeros in the first ones only.
constexpr Index kNumDense = 2 * SliceEvaluator::kSliceUnit;

Problem put_behind_dense_rows(const Topology& topology,
                              const Problem& problem) {
  const Index size = problem.features.cols();
  Problem all(topology, kNumDense + size);
  all.features.rightCols(size) = problem.features;
  all.instance_weights.tail(size) = problem.instance_weights;
  std::copy(problem.labels.begin(), problem.labels.end(),
            all.labels.begin() + kNumDense);
  return all;
}

bool have_equal_nans(const Vector& a, const Vector& b) {
  return (a.array().isNaN() == b.array().isNaN()).all();
}

/// The hidden output of a 1-1-2 network with weight 1 and bias 0.
Vector sigmoid_by(const Backend& backend, const Vector& z) {
  const Topology topology({1, 1, 2});
  Vector weights = Vector::Zero(topology.num_weights());
  weights[0] = 1.0;
  InstanceRange instances;
  instances.size = z.size();
  instances.features = z.data();
  return testing::compute_output(backend, topology, weights, instances, 0)
      .row(0);
}

/// Checks that every instruction set and precision has the loss of the reference,
/// also if it is not finite.
void check_loss(const Topology& topology, const Problem& problem) {
  const double expected =
      evaluate(reference_backend(), topology, problem).value;
  for (const Backend* backend : cpu::usable_backends()) {
    for (const Precision precision :
         {Precision::kFloat64, Precision::kFloat32}) {
      const double loss =
          evaluate(*backend, topology, problem, 1, precision).value;

      CAPTURE(backend->name());
      CAPTURE(expected);
      CAPTURE(loss);
      const bool is_equal =
          std::isnan(expected)
              ? std::isnan(loss)
              : loss == expected || std::abs(loss - expected) <=
                                        kSingleTolerance * std::abs(expected);
      CHECK(is_equal);
    }
  }
}

/// Evaluates instances that lie behind dense rows: their zeros are multiplied.
Evaluation evaluate_behind_dense_rows(const Backend& backend,
                                      const Topology& topology,
                                      const Problem& problem,
                                      Precision precision) {
  const Problem behind = put_behind_dense_rows(topology, problem);
  const auto evaluator =
      testing::make_slice_evaluator(backend, topology, precision);
  evaluator->bind(behind.range());
  evaluator->set_weights(problem.weights.data());
  Vector gradient = Vector::Zero(topology.num_weights());
  const double value = evaluator->compute_gradient(
      behind.range().slice(kNumDense, problem.range().size,
                           topology.num_features(), topology.num_classes()),
      gradient.data(), *evaluator->make_workspace());
  return {value, std::move(gradient)};
}

}  // namespace

TEST_SUITE("cpu/cpu_backend") {
  TEST_CASE("computes objective and gradient as the reference does") {
    const std::vector<std::vector<Index>> networks = {
        {1, 1},        {2, 2, 2},          {4, 5, 4, 3},  {3, 8, 2},
        {5, 9, 17, 3}, {7, 12, 13, 31, 4}, {64, 100, 10}, {9, 1, 40, 2}};
    for (const auto& layers : networks) {
      for (const Loss loss : {Loss::kSoftmaxNll, Loss::kSigmoidSquaredError}) {
        for (const Index size : {1, 2, 7, 119, 120, 121, 250}) {
          const Topology topology(layers, loss);
          const Problem problem(topology, size);
          const Evaluation expected =
              evaluate(reference_backend(), topology, problem);
          for (const Backend* backend : cpu::usable_backends()) {
            CAPTURE(backend->name());
            CAPTURE(layers.size());
            CAPTURE(size);

            const Evaluation received = evaluate(*backend, topology, problem);

            CHECK(testing::is_close(received, expected, kRoundingTolerance));
          }
        }
      }
    }
  }

  TEST_CASE("computes the output of every layer as the reference does") {
    const Topology topology({5, 9, 17, 3});
    const Problem problem(topology, 131);
    for (Index k = 0; k < topology.num_layers(); ++k) {
      const Matrix expected = testing::compute_output(
          reference_backend(), topology, problem.weights, problem.range(), k);
      for (const Backend* backend : cpu::usable_backends()) {
        CAPTURE(backend->name());

        const Matrix received = testing::compute_output(
            *backend, topology, problem.weights, problem.range(), k);

        CHECK((received - expected).norm() <=
              kRoundingTolerance * expected.norm());
      }
    }
  }

  TEST_CASE("gives the same bits for every number of threads") {
    const Topology topology({6, 11, 3});
    const Problem problem(topology, 5000);
    for (const Backend* backend : cpu::usable_backends()) {
      const Evaluation one = evaluate(*backend, topology, problem, 1);

      for (const int num_threads : {2, 3, 8}) {
        const Evaluation many =
            evaluate(*backend, topology, problem, num_threads);

        CHECK(many == one);
      }
    }
  }

  TEST_CASE("adds the leaves of many instances as the reference does") {
    const Topology topology({30, 40, 20, 3});
    const Problem problem(topology, 2500);
    const auto expected = evaluate(reference_backend(), topology, problem);
    for (const Backend* backend : cpu::usable_backends()) {
      const auto received = evaluate(*backend, topology, problem, 2);
      CHECK(received.value == doctest::Approx(expected.value).epsilon(1e-12));
      CHECK((received.gradient - expected.gradient).norm() <=
            kRoundingTolerance * expected.gradient.norm());
    }
  }

  TEST_CASE("evaluates a slice of other instances as a copy of it") {
    for (const auto& layers :
         std::vector<std::vector<Index>>{{4, 5, 3}, {40, 31, 5}}) {
      const Topology topology(layers);
      const Problem problem(topology, 700);
      const InstanceRange slice =
          problem.range().slice(300, 400, layers.front(), layers.back());
      InstanceRange copy = slice;
      copy.first = 0;
      for (const Backend* backend : cpu::usable_backends()) {
        CAPTURE(backend->name());
        CAPTURE(layers[0]);
        TrainingObjective of_slice(topology, slice, {backend, 1});
        TrainingObjective of_copy(topology, copy, {backend, 1});
        Vector gradient(topology.num_weights());
        Vector expected(topology.num_weights());

        CHECK(of_slice.value_and_gradient(problem.weights, gradient) ==
              of_copy.value_and_gradient(problem.weights, expected));
        CHECK(gradient == expected);
      }
    }
  }

  TEST_CASE("evaluates in single precision close to double precision") {
    for (const std::vector<Index>& layers :
         {std::vector<Index>{4, 5, 4, 3}, {64, 100, 10}, {30, 70, 33, 2}}) {
      const Topology topology(layers);
      const Problem problem(topology, 333);
      const Evaluation expected =
          evaluate(reference_backend(), topology, problem);
      for (const Backend* backend : cpu::usable_backends()) {
        const Evaluation received =
            evaluate(*backend, topology, problem, 1, Precision::kFloat32);

        CHECK(testing::is_close(received, expected, kSingleTolerance));
        CHECK(received.value != expected.value);
      }
    }
  }

  TEST_CASE("skips zeros without changing a bit") {
    for (const Precision precision :
         {Precision::kFloat64, Precision::kFloat32}) {
      for (const Index width : {40, 59, 160}) {
        const Topology topology({width, 31, 5});
        Problem problem(topology, 500);
        make_sparse(problem);
        for (const Backend* backend : cpu::usable_backends()) {
          CAPTURE(backend->name());
          const Evaluation skipping =
              evaluate(*backend, topology, problem, 1, precision);
          const Evaluation dense = evaluate_behind_dense_rows(
              *backend, topology, problem, precision);

          CHECK(skipping.value == dense.value);
          CHECK(skipping.gradient == dense.gradient);
          CHECK(testing::is_close(
              skipping, evaluate(reference_backend(), topology, problem),
              precision == Precision::kFloat64 ? kRoundingTolerance
                                               : kSingleTolerance));
        }
      }
    }
  }

  TEST_CASE("multiplies zeros too where a weight is not finite") {
    const Topology topology({40, 6, 3});
    Problem problem(topology, 50);
    make_sparse(problem);
    problem.features.row(0).setZero();
    problem.weights[0] = std::numeric_limits<double>::infinity();
    const Evaluation expected =
        evaluate(reference_backend(), topology, problem);
    for (const Backend* backend : cpu::usable_backends()) {
      const Evaluation received = evaluate(*backend, topology, problem);

      CHECK(std::isnan(expected.value));
      CHECK(std::isnan(received.value));
      CHECK(have_equal_nans(received.gradient, expected.gradient));
    }
  }

  TEST_CASE("shares the gradient of a very large network among threads") {
    const Topology topology({40, 800, 620, 3});
    const Problem problem(topology, 170);
    const Evaluation expected =
        evaluate(reference_backend(), topology, problem);
    for (const Backend* backend : cpu::usable_backends()) {
      CAPTURE(backend->name());
      CHECK(backend->shares_gradient(topology));

      const Evaluation one = evaluate(*backend, topology, problem, 1);
      const Evaluation three = evaluate(*backend, topology, problem, 3);

      CHECK(one == three);
      CHECK(testing::is_close(one, expected, kRoundingTolerance));
    }
  }

  TEST_CASE("leaves the shared gradient's evaluation where asked to stop") {
    const Topology topology({40, 800, 620, 3});
    const Problem problem(topology, 170);
    const std::atomic<bool> is_stopping = true;
    Vector gradient(topology.num_weights());
    TrainingObjective objective(
        topology, problem.range(),
        {&cpu::backend(), 2, Precision::kFloat64, &is_stopping});

    CHECK_THROWS_AS(objective.value_and_gradient(problem.weights, gradient),
                    optim::Interrupted);
  }

  TEST_CASE("looks at the stop flag before each tile of every engine") {
    const std::atomic<bool> is_stopping{true};
    const HiddenLayer relu{*decltype(HiddenLayer::activation)::find("relu")};
    for (const Topology& topology : {Topology({4, 5, 3}), Topology({20, 40, 5}),
                                     Topology({20, 40, 5}, {}, {relu})}) {
      const Problem problem(topology, 300);
      const auto evaluator =
          testing::make_slice_evaluator(cpu::backend(), topology);
      evaluator->bind(problem.range());
      evaluator->set_weights(problem.weights.data());
      const auto workspace = evaluator->make_workspace();
      Vector gradient = Vector::Zero(topology.num_weights());
      CHECK(evaluator->compute_gradient(problem.range(), gradient.data(),
                                        *workspace) > 0.0);

      workspace->set_stop_flag(&is_stopping);

      CHECK(evaluator->compute_gradient(problem.range(), gradient.data(),
                                        *workspace) == 0.0);
    }
  }

  TEST_CASE("gives the same bits with AVX2 and AVX-512") {
    const Topology topology({30, 21, 5});
    const Problem problem(topology, 500);
    std::vector<Evaluation> fused;
    for (const Backend* backend : cpu::usable_backends()) {
      if (std::string(backend->name()).starts_with("AVX")) {
        fused.push_back(evaluate(*backend, topology, problem));
      }
    }

    for (const Evaluation& evaluation : fused) {
      CHECK(evaluation == fused.front());
    }
  }

  TEST_CASE("computes the sigmoid within a few ulps until exp overflows") {
    const Vector z = Vector::LinSpaced(20001, -709.0, 745.0);
    for (const Backend* backend : cpu::usable_backends()) {
      CAPTURE(backend->name());

      const Vector output = sigmoid_by(*backend, z);

      for (Index i = 0; i < z.size(); ++i) {
        const long double exact =
            1.0L / (1.0L + std::exp(-static_cast<long double>(z[i])));
        const double rounded = static_cast<double>(exact);
        const double ulp =
            std::nextafter(rounded, std::numeric_limits<double>::infinity()) -
            rounded;
        CHECK(std::abs(output[i] - rounded) <= kSigmoidUlps * ulp);
      }
    }
  }

  TEST_CASE("keeps the sigmoid's limits and NaN") {
    const double infinity = std::numeric_limits<double>::infinity();
    Vector z(6);
    z << -infinity, -1e308, -800.0, 0.0, infinity,
        std::numeric_limits<double>::quiet_NaN();
    for (const Backend* backend : cpu::usable_backends()) {
      CAPTURE(backend->name());

      const Vector output = sigmoid_by(*backend, z);

      CHECK(output[0] == 0.0);
      CHECK(output[1] == 0.0);
      CHECK(output[2] == 0.0);
      CHECK(output[3] == 0.5);
      CHECK(output[4] == 1.0);
      CHECK(std::isnan(output[5]));
    }
  }

  TEST_CASE("makes the objective NaN where a probability underflows to 0") {
    const Topology topology({1, 2});
    Problem problem(topology, 1);
    problem.features(0, 0) = 1.0;
    problem.weights << 800.0, 0.0, 0.0, 0.0;
    for (const Backend* backend : cpu::usable_backends()) {
      const Evaluation evaluation = evaluate(*backend, topology, problem);

      CHECK(std::isnan(evaluation.value));
    }
  }

  TEST_CASE("loses the objective to large logits as the reference does") {
    const LossFunction loss;
    const std::vector<Topology> topologies = {
        Topology({2, 3}), Topology({2, 40, 12}),
        Topology({2, 5, 4}, loss, {HiddenLayer{*Activation::find("relu")}})};
    for (const Topology& topology : topologies) {
      for (const double logit : {800.0, 700.0, -800.0}) {
        const Index num_classes = topology.num_classes();
        for (const Index at : {num_classes - 1, Index{0}, num_classes / 2}) {
          Problem problem(topology, 1 + num_classes);
          problem.weights.tail(num_classes).setZero();
          problem.weights[problem.weights.size() - num_classes + at] = logit;
          check_loss(topology, problem);
        }
      }
    }
  }

  TEST_CASE("spreads NaN from a feature as the reference does") {
    const Topology topology({3, 4, 2});
    Problem problem(topology, 9);
    problem.features(1, 4) = std::numeric_limits<double>::quiet_NaN();
    const Evaluation expected =
        evaluate(reference_backend(), topology, problem);
    for (const Backend* backend : cpu::usable_backends()) {
      const Evaluation received = evaluate(*backend, topology, problem);

      CHECK(std::isnan(received.value));
      CHECK(received.gradient.array().isNaN().cast<int>().matrix() ==
            expected.gradient.array().isNaN().cast<int>().matrix());
    }
  }

  TEST_CASE("takes NaN for no zero where zeros are skipped") {
    const Topology topology({60, 31, 2});
    Problem problem(topology, 100);
    make_sparse(problem);
    problem.features(1, 4) = std::numeric_limits<double>::quiet_NaN();
    for (const Backend* backend : cpu::usable_backends()) {
      CAPTURE(backend->name());

      CHECK(std::isnan(evaluate(*backend, topology, problem).value));
    }
  }

  TEST_CASE("names the best instruction set first and a baseline last") {
    const auto& backends = cpu::usable_backends();

    CHECK(&cpu::backend() == backends.front());
    CHECK(std::string(backends.back()->name()) == "baseline");
  }
}

}  // namespace mlp
