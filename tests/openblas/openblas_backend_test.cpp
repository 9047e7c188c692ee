// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../openblas/openblas_backend.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../../mlp/backend/reference_backend.hpp"
#include "../../mlp/network/initial_weights.hpp"
#include "../mlp/backend/slice_evaluators.hpp"
#include "../mlp/evaluation.hpp"
#include "../mlp/random_instances.hpp"
#include "installed_library.hpp"

namespace mlp::testing {
namespace {

/// Another order of summation over at most a few thousand terms.
constexpr double kRoundingTolerance = 1e-12;

/// The same with numbers of 24 bits: 2^-24 times a few dozen.
constexpr double kSingleTolerance = 3e-6;

Evaluation evaluate(const Backend& backend, const Topology& topology,
                    const RandomInstances& instances, int num_threads = 1,
                    Precision precision = Precision::kFloat64) {
  return evaluate_all(topology, instances.range(),
                      draw_initial_weights(topology, 7),
                      {&backend, num_threads, precision});
}

Matrix compute_output(const Backend& backend, const Topology& topology,
                      const RandomInstances& instances, Index k,
                      Precision precision = Precision::kFloat64) {
  const Vector weights = draw_initial_weights(topology, 7);
  return testing::compute_output(backend, topology, weights, instances.range(),
                                 k, precision);
}

const std::vector<std::vector<Index>> kNetworks = {
    {1, 1},         {2, 2, 2},     {4, 5, 4, 3},
    {7, 12, 13, 4}, {64, 100, 10}, {9, 1, 40, 2}};

}  // namespace

TEST_SUITE("openblas/openblas_backend") {
  TEST_CASE("computes objective and gradient as the reference does") {
    if (!installed_library()) return;
    for (const auto& layers : kNetworks) {
      for (const Loss loss : {Loss::kSoftmaxNll, Loss::kSigmoidSquaredError}) {
        for (const Index size : {1, 7, 255, 256, 257, 600}) {
          CAPTURE(layers.size());
          CAPTURE(size);
          const Topology topology(layers, loss);
          const RandomInstances instances = draw_instances(topology, size);

          CHECK(is_close(evaluate(openblas::backend(), topology, instances),
                         evaluate(reference_backend(), topology, instances),
                         kRoundingTolerance));
        }
      }
    }
  }

  // The outputs of the last instance are too far apart for its probabilities.
  TEST_CASE("adds nothing for an instance of weight 0 that underflows") {
    if (!installed_library()) return;
    const Topology topology({2, 3});
    RandomInstances instances = draw_instances(topology, 7);
    instances.features.col(6).setConstant(1e5);
    CHECK_FALSE(std::isfinite(
        evaluate(openblas::backend(), topology, instances).value));
    instances.weights[6] = 0.0;
    const Evaluation expected =
        evaluate(reference_backend(), topology, instances);

    const Evaluation result =
        evaluate(openblas::backend(), topology, instances);

    CHECK(std::isfinite(result.value));
    CHECK(is_close(result, expected, kRoundingTolerance));
  }

  TEST_CASE("computes close to the reference in float32") {
    if (!installed_library()) return;
    for (const auto& layers : kNetworks) {
      for (const Loss loss : {Loss::kSoftmaxNll, Loss::kSigmoidSquaredError}) {
        const Topology topology(layers, loss);
        const RandomInstances instances = draw_instances(topology, 600);

        const Evaluation received = evaluate(openblas::backend(), topology,
                                             instances, 1, Precision::kFloat32);

        const Evaluation expected =
            evaluate(reference_backend(), topology, instances);
        CHECK(is_close(received, expected, kSingleTolerance));
        const bool has_gradient = expected.gradient.norm() > 0.0;
        CHECK((received.gradient != expected.gradient) == has_gradient);
      }
    }
  }

  TEST_CASE("computes the output of every layer as the reference does") {
    if (!installed_library()) return;
    const Topology topology({5, 9, 17, 3});
    const RandomInstances instances = draw_instances(topology, 300);
    for (Index k = 0; k < topology.num_layers(); ++k) {
      const Matrix expected =
          compute_output(reference_backend(), topology, instances, k);

      const Matrix received =
          compute_output(openblas::backend(), topology, instances, k);
      const Matrix single = compute_output(openblas::backend(), topology,
                                           instances, k, Precision::kFloat32);

      CHECK((received - expected).norm() <=
            kRoundingTolerance * expected.norm());
      CHECK((single - expected).norm() <= kSingleTolerance * expected.norm());
    }
  }

  TEST_CASE("scores as its evaluator computes in both precisions") {
    if (!installed_library()) return;
    const Topology topology({5, 9, 3});
    const RandomInstances instances = draw_instances(topology, 40);
    const Vector weights = draw_initial_weights(topology, 7);
    for (const Precision precision :
         {Precision::kFloat64, Precision::kFloat32}) {
      const auto plan =
          openblas::backend().make_plan(topology, weights.data(), precision);
      Matrix raw(3, 40);

      plan->compute_raw(instances.features.data(), 40, raw.data());

      CHECK(raw == compute_output(openblas::backend(), topology, instances, 1,
                                  precision));
    }
  }

  TEST_CASE("gives the same bits for every number of threads") {
    if (!installed_library()) return;
    const Topology topology({6, 40, 3});
    const RandomInstances instances = draw_instances(topology, 5000);
    for (const Precision precision :
         {Precision::kFloat64, Precision::kFloat32}) {
      const Evaluation one =
          evaluate(openblas::backend(), topology, instances, 1, precision);
      for (const int num_threads : {2, 3, 8}) {
        const Evaluation many = evaluate(openblas::backend(), topology,
                                         instances, num_threads, precision);

        CHECK(many == one);
      }
    }
  }

  TEST_CASE("spreads NaN from a feature as the reference does") {
    if (!installed_library()) return;
    const Topology topology({3, 4, 2});
    RandomInstances instances = draw_instances(topology, 9);
    instances.features(1, 4) = std::numeric_limits<double>::quiet_NaN();

    const Evaluation received =
        evaluate(openblas::backend(), topology, instances);

    const Evaluation expected =
        evaluate(reference_backend(), topology, instances);
    CHECK(std::isnan(received.value));
    CHECK(received.gradient.array().isNaN().cast<int>().matrix() ==
          expected.gradient.array().isNaN().cast<int>().matrix());
  }

  TEST_CASE("is called OpenBLAS") {
    if (!installed_library()) return;

    CHECK(std::string(openblas::backend().name()) == "OpenBLAS");
  }
}

}  // namespace mlp::testing
