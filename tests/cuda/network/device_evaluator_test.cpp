// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/network/device_evaluator.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../cuda/network/device_context.hpp"
#include "../../../mlp/backend/reference_batch_evaluator.hpp"
#include "../../mlp/backend/slice_evaluators.hpp"
#include "../cublas_of_tests.hpp"
#include "random_networks.hpp"

namespace mlp::testing {

namespace {

using cuda::cublas_of_tests;
using cuda::DeviceContext;

constexpr double kTolerance = 1e-12;
constexpr double kSingleTolerance = 1e-5;

/// A network, its instances, and an evaluator that is bound to them.
struct Example {
  explicit Example(std::size_t limit_bytes = 0, Index size = 200)
      : instances(draw_instances(topology, size)),
        weights(draw_initial_weights(topology, 3)),
        context(0, limit_bytes, cublas_of_tests()),
        evaluator(cuda::make_device_evaluator(topology, Precision::kFloat64,
                                              context)) {
    evaluator->bind(instances.range());
  }

  Topology topology{{6, 9, 4}};
  RandomInstances instances;
  Vector weights;
  DeviceContext context;
  std::unique_ptr<SharedEvaluator> evaluator;
};

TEST_SUITE("cuda/network/device_evaluator") {
  TEST_CASE("computes the shared gradient, again at other weights") {
    Example example;
    ThreadPool pool(1);
    for (const double factor : {1.0, 2.0}) {
      const Vector x = factor * example.weights;
      Evaluation result{0.0, Vector(x.size())};

      result.value = example.evaluator->compute_gradient(
          x.data(), result.gradient.data(), pool, [] {});

      const Evaluation expected =
          evaluate_all(example.topology, example.instances.range(), x);
      CHECK(relative_difference(result, expected) < kTolerance);
    }
  }

  TEST_CASE("asks between blocks if it is to stop, and can go on afterwards") {
    Example example(cuda::MatrixProducts::kWorkspaceBytes + 50'000);
    ThreadPool pool(1);
    Evaluation result{0.0, Vector(example.weights.size())};
    int num_polls = 0;
    const auto compute = [&](int last_poll) {
      return example.evaluator->compute_gradient(
          example.weights.data(), result.gradient.data(), pool, [&] {
            if (++num_polls == last_poll) throw std::runtime_error("stop");
          });
    };

    CHECK_THROWS_WITH_AS(compute(3), "stop", std::runtime_error);
    result.value = compute(-1);

    CHECK(num_polls > 6);
    CHECK(relative_difference(
              result, evaluate_all(example.topology, example.instances.range(),
                                   example.weights)) < kTolerance);
  }

  TEST_CASE("computes the outputs of every layer") {
    Example example;
    const auto plan =
        cuda::make_device_plan(example.topology, example.weights.data(),
                               Precision::kFloat64, example.context);
    for (const Index k : {0, 1}) {
      const Matrix expected = testing::compute_output(
          reference_backend(), example.topology, example.weights,
          example.instances.range(), k);
      Matrix output(example.topology.output_size(k), 200);

      plan->compute_layer(example.instances.range().features, 200, k,
                          output.data());

      CHECK((output - expected).norm() < kTolerance * expected.norm());
    }
  }

  TEST_CASE_TEMPLATE("scores with weights that may be destroyed", Number,
                     double, float) {
    using Numbers = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;
    Example example;
    Vector weights = example.weights;
    const auto plan = cuda::make_device_plan(
        example.topology, weights.data(), Precision::kFloat64, example.context);
    weights.setZero();
    const Numbers features = example.instances.features.cast<Number>();
    Numbers raw(4, 200);

    plan->compute_raw(features.data(), 200, raw.data());

    Matrix expected(4, 200);
    reference_backend()
        .make_plan(example.topology, example.weights.data(),
                   Precision::kFloat64)
        ->compute_raw(example.instances.features.data(), 200, expected.data());
    CHECK((raw.template cast<double>() - expected).norm() <
          kSingleTolerance * expected.norm());
  }

  TEST_CASE("evaluates mini-batches of different sizes") {
    Example example;
    const auto evaluator = cuda::make_device_batch_evaluator<double>(
        example.topology, {}, Precision::kFloat64, example.context);
    evaluator->bind(example.instances.range());
    ReferenceBatchEvaluator reference(example.topology, {});
    reference.bind(example.instances.range());
    ThreadPool pool(1);
    for (const auto& positions :
         std::vector<std::vector<Index>>{{5}, {7, 7, 3, 199, 0}, {1, 2}}) {
      const MiniBatch batch{positions, 5};
      Evaluation result{0.0, Vector(example.weights.size())};
      Evaluation expected = result;

      result.value = evaluator->value_and_gradient(
          batch, example.weights.data(), nullptr, result.gradient.data(), pool);

      expected.value =
          reference.value_and_gradient(batch, example.weights.data(), nullptr,
                                       expected.gradient.data(), pool);
      CHECK(relative_difference(result, expected) < kTolerance);
    }
  }

  TEST_CASE("plans the memory of the limit for the size of the mini-batches") {
    const Topology topology({6, 1000, 4});
    const RandomInstances instances = draw_instances(topology, 200);
    const Vector weights = draw_initial_weights(topology, 3);
    DeviceContext context(0, cuda::MatrixProducts::kWorkspaceBytes + 1'000'000,
                          cublas_of_tests());
    const auto evaluator = cuda::make_device_batch_evaluator<double>(
        topology, {}, Precision::kFloat64, context);
    evaluator->bind(instances.range());
    ThreadPool pool(1);
    Vector gradient(weights.size());
    const auto evaluate = [&](std::size_t size) {
      const std::vector<Index> positions(size, 7);
      return evaluator->value_and_gradient({positions, 5}, weights.data(),
                                           nullptr, gradient.data(), pool);
    };

    // Each instance needs 24 bytes for each of the 1000 units.
    const double value = evaluate(10);
    CHECK_THROWS_WITH_AS(evaluate(100),
                         doctest::Contains("a block of 100 instances need"),
                         ResourceError);
    CHECK(evaluate(11) == doctest::Approx(value));
  }

  TEST_CASE("says that the gradient of a mini-batch is done, once") {
    Example example;
    const auto evaluator = cuda::make_device_batch_evaluator<double>(
        example.topology, {}, Precision::kFloat64, example.context);
    evaluator->bind(example.instances.range());
    const std::vector<Index> positions = {3, 4};
    std::vector<Index> announced;
    const std::function<void(Index)> announce = [&](Index layer) {
      announced.push_back(layer);
    };
    MiniBatch batch{positions, 5};
    batch.on_layer_done = &announce;
    Vector gradient(example.weights.size());
    ThreadPool pool(1);

    evaluator->value_and_gradient(batch, example.weights.data(), nullptr,
                                  gradient.data(), pool);

    CHECK(announced == std::vector<Index>{0});
  }
}

}  // namespace
}  // namespace mlp::testing
