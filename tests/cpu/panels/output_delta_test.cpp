// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include "../../../cpu/cpu_backend.hpp"
#include "../../../mlp/backend/reference_backend.hpp"
#include "../../mlp/backend/slice_evaluators.hpp"
#include "../../mlp/evaluation.hpp"
#include "../random_networks.hpp"

namespace mlp {

namespace {

using namespace testing;

/// Evaluates two instances of label 0 whose first outputs are larger than all
/// others by 800 times the feature.
Evaluation evaluate(const Backend& backend, Precision precision,
                    Index num_classes, const Vector& instance_weights) {
  const Topology topology({1, num_classes});
  const Matrix features{{1.0, 0.5}};
  const std::vector<std::int32_t> labels{0, 0};
  const InstanceRange range{2, features.data(), instance_weights.data(),
                            labels.data()};
  Vector weights = Vector::Zero(topology.num_weights());
  weights[0] = 800.0;
  return testing::evaluate_slice(backend, topology, precision, range, weights,
                                 Vector::Zero(topology.num_weights()));
}

/// The classes of networks that are computed in lanes and in tiles.
constexpr Index kClasses[] = {3, 200};

/// The reference backend and every instruction set.
std::vector<const Backend*> all_backends() {
  std::vector<const Backend*> backends = cpu::usable_backends();
  backends.push_back(&reference_backend());
  return backends;
}

/// The sizes of outputs that each precision must survive.
template <typename Number>
std::vector<double> output_sizes() {
  if constexpr (std::is_same_v<Number, double>) return {1e4, 1e30, 1e300};
  return {1e4, 1e10, 1e30};
}

/// Instances of one feature, which is 1, with labels 0, 1 and 2.
RandomInstances one_of_each_class() {
  RandomInstances instances;
  instances.features = Matrix::Ones(1, 3);
  instances.weights = Vector::Ones(3);
  instances.labels = {0, 1, 2};
  return instances;
}

/// One step on all instances with given weights.
template <typename Number>
testing::BatchResult<Number> step_at(const Backend& backend,
                                     const Topology& topology,
                                     const Vector& weights,
                                     const RandomInstances& instances) {
  using NumberVector = typename testing::BatchResult<Number>::NumberVector;
  const NumberVector narrow = weights.template cast<Number>();
  testing::BatchResult<Number> result;
  result.gradient = NumberVector::Zero(topology.num_weights());
  const InstanceRange range = instances.range();
  const std::vector<Index> all{0, 1, 2};
  ThreadPool pool(1);
  const auto evaluator =
      backend.make_batch_evaluator(topology, {}, std::type_identity<Number>{});
  evaluator->bind(range);
  result.loss = evaluator->value_and_gradient(
      MiniBatch{all}, narrow.data(), nullptr, result.gradient.data(), pool);
  return result;
}

/// A network of one layer whose outputs are s, 0 and -s.
const Topology kOneLayer({1, 3});

Vector weights_of_size(double s) { return Vector{{s, 0.0, -s, 0.0, 0.0, 0.0}}; }

constexpr double kRounding = 1e-6;  // of single precision

}  // namespace

TEST_SUITE("cpu/panels/output_delta") {
  // exp(-800) is 0, exp(-400) is not.
  TEST_CASE("computes NaN as Spark does where a probability underflows") {
    for (const Index num_classes : kClasses) {
      const Vector weights{{1.0, 1.0}};
      CHECK(std::isnan(evaluate(reference_backend(), Precision::kFloat64,
                                num_classes, weights)
                           .value));
      for (const Backend* backend : cpu::usable_backends()) {
        CAPTURE(backend->name());
        CHECK(std::isnan(
            evaluate(*backend, Precision::kFloat64, num_classes, weights)
                .value));
        CHECK(std::isnan(
            evaluate(*backend, Precision::kFloat32, num_classes, weights)
                .value));
      }
    }
  }

  TEST_CASE("adds nothing for an instance of weight 0 that underflows") {
    for (const Index num_classes : kClasses) {
      CAPTURE(num_classes);
      const Vector weights{{0.0, 1.0}};
      const Evaluation expected = evaluate(
          reference_backend(), Precision::kFloat64, num_classes, weights);
      CHECK(std::isfinite(expected.value));
      CHECK(expected.gradient.allFinite());
      for (const Backend* backend : cpu::usable_backends()) {
        for (const Precision precision :
             {Precision::kFloat64, Precision::kFloat32}) {
          CAPTURE(backend->name());
          const Evaluation result =
              evaluate(*backend, precision, num_classes, weights);
          CHECK(std::abs(result.value - expected.value) < 1e-100);
          CHECK((result.gradient - expected.gradient).norm() < 1e-100);
        }
      }
    }
  }

  // p = (1, 0, 0): the losses are 0, s and 2 s, and the derivative by the biases
  // is the mean of p - t, (2, -1, -1) / 3.
  TEST_CASE_TEMPLATE("keeps loss and gradient finite for large outputs", Number,
                     double, float) {
    for (const Backend* backend : all_backends()) {
      for (const double s : output_sizes<Number>()) {
        CAPTURE(backend->name());
        CAPTURE(s);

        const auto result = step_at<Number>(
            *backend, kOneLayer, weights_of_size(s), one_of_each_class());

        CHECK(result.loss == doctest::Approx(s).epsilon(kRounding));
        const Vector biases = result.gradient.tail(3).template cast<double>();
        CHECK((3.0 * biases - Vector{{2.0, -1.0, -1.0}}).norm() < kRounding);
      }
    }
  }

  // exp(-800) is 0 in double precision; the losses are 0, 800 and 1600.
  TEST_CASE("keeps the loss of full batches finite in a network Spark lacks") {
    const Topology topology({1, 1, 3}, {}, {hidden_layer("relu")});
    const Vector weights{{1.0, 0.0, 800.0, 0.0, -800.0, 0.0, 0.0, 0.0}};
    const RandomInstances instances = one_of_each_class();
    for (const Backend* backend : all_backends()) {
      CAPTURE(backend->name());
      const auto evaluator = testing::make_slice_evaluator(*backend, topology);
      const InstanceRange range = instances.range();
      evaluator->bind(range);
      evaluator->set_weights(weights.data());
      const auto workspace = evaluator->make_workspace();
      Vector gradient = Vector::Zero(topology.num_weights());

      const double loss =
          evaluator->compute_gradient(range, gradient.data(), *workspace);

      CHECK(loss == doctest::Approx(2400.0));
      CHECK(gradient.tail(3) == Vector{{2.0, -1.0, -1.0}});
    }
  }

  // With a smoothing of 0.3 the target is 0.8 at the label, 0.1 elsewhere: the
  // losses are 0.3 s, s and 1.7 s.
  TEST_CASE_TEMPLATE("keeps a smoothed loss finite for large outputs", Number,
                     double, float) {
    const Topology topology({1, 3}, {Loss::kSoftmaxNll, 0.3});
    for (const Backend* backend : all_backends()) {
      CAPTURE(backend->name());

      const auto result = step_at<Number>(
          *backend, topology, weights_of_size(1e30), one_of_each_class());

      CHECK(result.loss == doctest::Approx(1e30).epsilon(kRounding));
      CHECK(result.gradient.allFinite());
    }
  }

  // The outputs of the second instance are infinite.
  TEST_CASE_TEMPLATE("adds nothing for an instance of weight 0", Number, double,
                     float) {
    RandomInstances instances = one_of_each_class();
    instances.weights[1] = 0.0;
    instances.features(0, 1) = 1e30;
    RandomInstances without = instances;
    without.features(0, 1) = 0.0;
    const Vector weights = weights_of_size(1e30);
    for (const Backend* backend : all_backends()) {
      CAPTURE(backend->name());

      const auto result =
          step_at<Number>(*backend, kOneLayer, weights, instances);

      CHECK(result == step_at<Number>(*backend, kOneLayer, weights, without));
      CHECK(std::isfinite(result.loss));
    }
  }
}

}  // namespace mlp
