// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "../../../cpu/cpu_backend.hpp"
#include "../../../mlp/backend/reference_backend.hpp"
#include "../../mlp/random_instances.hpp"

namespace mlp {
namespace {

struct Evaluation {
  double value = 0.0;
  Vector gradient;
};

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
  const auto evaluator = backend.make_evaluator(topology, precision);
  evaluator->bind(range);
  evaluator->set_weights(weights.data());
  const auto workspace = evaluator->make_workspace();
  Evaluation result{0.0, Vector::Zero(topology.num_weights())};
  result.value =
      evaluator->add_gradient(range, result.gradient.data(), *workspace);
  return result;
}

/// The classes of networks that are computed in lanes and in tiles.
constexpr Index kClasses[] = {3, 200};

}  // namespace

TEST_SUITE("cpu/tiles/output_delta") {
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
}

}  // namespace mlp
