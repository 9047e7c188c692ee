// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "../../../core/spark_random.hpp"
#include "../../../cpu/cpu_backend.hpp"
#include "../../../mlp/backend/reference_backend.hpp"
#include "../../../mlp/network/initial_weights.hpp"
#include "../../mlp/evaluation.hpp"
#include "../random_networks.hpp"

namespace mlp {
namespace {

/// Another order of summation over at most a few thousand terms.
constexpr double kRoundingTolerance = 1e-12;

/// The smallest number of weights with which threads share one gradient.
constexpr Index kSharedWeights = Index{1} << 19;

/// A block has 64 tiles of 72 instances.
constexpr Index kBlock = 64 * 72;

using testing::Evaluation;

/// Random instances; most features are zero, or none.
class Problem {
 public:
  Problem(const Topology& topology, Index size, bool is_sparse)
      : topology_(topology),
        features_(topology.num_features(), size),
        weights_(draw_initial_weights(topology, 7)) {
    SparkRandom random(size);
    for (double& x : features_.reshaped()) {
      const double number = 4.0 * random.next_double() - 2.0;
      x = is_sparse && random.next_double() < 0.9 ? 0.0 : number;
    }
    for (Index i = 0; i < size; ++i) {
      labels_.push_back(static_cast<std::int32_t>(i % topology.num_classes()));
      instance_weights_.push_back(1.0 + random.next_double());
    }
  }

  /// Evaluates instances first .. first + size - 1.
  [[nodiscard]] Evaluation evaluate(const Backend& backend, Index first,
                                    Index size, int num_threads = 2) const {
    const auto at = static_cast<std::size_t>(first);
    const InstanceRange range{size, features_.col(first).data(),
                              instance_weights_.data() + at,
                              labels_.data() + at, nullptr};
    return testing::evaluate_all(topology_, range, weights_,
                                 {&backend, num_threads});
  }

 private:
  Topology topology_;
  Matrix features_;
  Vector weights_;
  std::vector<double> instance_weights_;
  std::vector<std::int32_t> labels_;
};

/// Compares the first instances with sums of the reference over parts of them.
void check_against_reference(const Problem& problem, const Topology& topology,
                             const std::vector<Index>& sizes) {
  Evaluation expected;
  expected.gradient = Vector::Zero(topology.num_weights());
  Index done = 0;
  for (const Index size : sizes) {
    CAPTURE(size);
    const Evaluation part =
        problem.evaluate(reference_backend(), done, size - done);
    expected.value += part.value;
    expected.gradient += part.gradient;
    done = size;

    const Evaluation received = problem.evaluate(cpu::backend(), 0, size);

    CHECK(testing::is_close(received, expected, kRoundingTolerance));
  }
}

}  // namespace

TEST_SUITE("cpu/panels/shared_evaluator") {
  TEST_CASE("sums rows around the end of a block as the reference does") {
    const Topology topology({599, 876, 3});
    REQUIRE(topology.num_weights() >= kSharedWeights);
    REQUIRE(cpu::backend().shares_gradient(topology));
    const Problem problem(topology, kBlock + 92, false);

    check_against_reference(problem, topology,
                            {kBlock - 1, kBlock, kBlock + 1, kBlock + 92});
  }

  TEST_CASE("sums residual layers with and without projections") {
    const Topology topology({700, 500, 500, 300, 3}, {},
                            {testing::hidden_layer("relu", true),
                             testing::hidden_layer("swish", true),
                             testing::hidden_layer("tanh", true)});
    REQUIRE(cpu::backend().shares_gradient(topology));

    check_against_reference(Problem(topology, 200, false), topology, {73, 200});
    check_against_reference(Problem(topology, 80, true), topology, {80});
  }

  TEST_CASE("sums mostly zeros beyond a block as it sums its parts") {
    const Topology topology({2000, 270, 3});
    REQUIRE(topology.num_weights() >= kSharedWeights);
    constexpr Index kSize = kBlock + 73;
    constexpr Index kPart = 2000;
    const Problem problem(topology, kSize, true);
    const Backend& backend = cpu::backend();

    const Evaluation whole = problem.evaluate(backend, 0, kSize);

    const Evaluation first = problem.evaluate(backend, 0, kPart);
    const Evaluation rest = problem.evaluate(backend, kPart, kSize - kPart);
    CHECK(std::abs(whole.value - first.value - rest.value) <=
          kRoundingTolerance * whole.value);
    CHECK((whole.gradient - first.gradient - rest.gradient).norm() <=
          kRoundingTolerance * whole.gradient.norm());
    const Evaluation alone = problem.evaluate(backend, 0, kSize, 1);
    CHECK(alone == whole);
  }
}

}  // namespace mlp
