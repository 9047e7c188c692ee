// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/fused/fused_evaluation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "fused_problem.hpp"

namespace {

using mlp::Activation;
using mlp::HiddenLayer;
using mlp::Index;
using mlp::Loss;
using mlp::LossFunction;
using mlp::Topology;
using namespace mlp::testing;

/// A network of 1 to 4 layers with random sizes, activations and loss. Every
/// second one is Spark's.
Topology random_topology(std::mt19937_64& random) {
  const auto below = [&](Index limit) {
    return static_cast<Index>(random() % static_cast<std::uint64_t>(limit));
  };
  std::vector<Index> layers;
  for (Index k = below(4) + 2; k > 0; --k) layers.push_back(below(20) + 1);
  if (below(2) == 0) return Topology(layers);
  std::vector<HiddenLayer> hidden(layers.size() - 2);
  for (HiddenLayer& layer : hidden) {
    const auto& names = Activation::names();
    layer.activation =
        *Activation::find(names[at(below(static_cast<Index>(names.size())))]);
  }
  const std::vector<LossFunction> losses = {{Loss::kSoftmaxNll, 0.1},
                                            {Loss::kSquaredError},
                                            {Loss::kSigmoidSquaredError}};
  return Topology(layers, losses[at(below(3))], hidden);
}

/// Two instances of a network without hidden layers, whose z are 0 and the weight
/// w for class 1.
FusedProblem certain_problem(double w, LossFunction loss) {
  FusedProblem problem = make_fused_problem(Topology({1, 2}, loss), 2, 1);
  problem.features.setOnes();
  problem.instance_weights.setOnes();
  problem.labels = {1, 1};
  problem.weights << 0.0, w, 0.0, 0.0;
  return problem;
}

TEST_SUITE("cuda/fused/fused_evaluation") {
  TEST_CASE_TEMPLATE("gives the reference gradient of 100 random networks",
                     Number, double, float) {
    std::mt19937_64 random(7);
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const Topology topology = random_topology(random);
      const auto size = static_cast<Index>(random() % 70) + 1;
      const FusedProblem problem = make_fused_problem(topology, size, seed);
      const int tile_size = 1 << random() % 6;
      const auto plan = plan_tiles(topology, size, tile_size,
                                   static_cast<Index>(random() % 3) + 1);

      const FusedResult result = evaluate_on_chip<Number>(problem, plan);

      CAPTURE(seed);
      CHECK(fused_error(result, evaluate_by_reference(problem)) <=
            kFusedTolerance<Number>);
    }
  }

  TEST_CASE_TEMPLATE("gives the reference gradient with the plan of a network",
                     Number, double, float) {
    const Topology topology({33, 40, 24, 5});
    const FusedProblem problem = make_fused_problem(topology, 150, 3);
    const auto plan =
        *mlp::cuda::plan_fused(topology, sizeof(Number), 150, 227 * 1024);

    const FusedResult result = evaluate_on_chip<Number>(problem, plan);

    CHECK(fused_error(result, evaluate_by_reference(problem)) <=
          kFusedTolerance<Number>);
  }

  TEST_CASE("reads features of single precision and bytes with a scale") {
    const mlp::cuda::Stream stream;
    FusedProblem problem = make_fused_problem(Topology({6, 4, 3}), 21, 5);
    problem.features = (problem.features.array() * 255.0).abs().floor();
    const FusedData<float> floats(problem, stream);
    const FusedData<std::uint8_t> bytes(problem, stream);
    const auto plan = plan_tiles(problem.topology, 21, 8, 1);
    auto instances = bytes.instances();
    instances.scale = 1.0 / 255.0;

    const FusedResult of_floats = evaluate_on_chip<double>(
        plan, floats.instances(), floats.weights(), stream);
    const FusedResult of_bytes =
        evaluate_on_chip<double>(plan, instances, bytes.weights(), stream);

    CHECK(fused_error(of_floats, evaluate_by_reference(problem)) <=
          kFusedTolerance<double>);
    problem.features *= 1.0 / 255.0;
    CHECK(fused_error(of_bytes, evaluate_by_reference(problem)) <=
          kFusedTolerance<double>);
  }

  TEST_CASE("takes weight 1 for instances without weights") {
    const mlp::cuda::Stream stream;
    FusedProblem problem = make_fused_problem(Topology({3, 2}), 9, 5);
    const FusedData<double> data(problem, stream);
    auto instances = data.instances();
    instances.weights = nullptr;

    const FusedResult result =
        evaluate_on_chip<double>(plan_tiles(problem.topology, 9, 4, 1),
                                 instances, data.weights(), stream);

    problem.instance_weights.setOnes();
    CHECK(fused_error(result, evaluate_by_reference(problem)) <=
          kFusedTolerance<double>);
  }

  TEST_CASE("gives 0 for no instances") {
    const FusedProblem problem = make_fused_problem(Topology({3, 4, 2}), 0, 5);
    const auto plan =
        *mlp::cuda::plan_fused(problem.topology, 8, 0, 163 * 1024);

    const FusedResult result = evaluate_on_chip<double>(problem, plan);

    CHECK(result.value == 0.0);
    CHECK(result.gradient == mlp::Vector::Zero(result.gradient.size()));
  }

  TEST_CASE_TEMPLATE("is NaN if a probability underflows, as Spark", Number,
                     double, float) {
    const FusedProblem problem = certain_problem(800.0, Loss::kSoftmaxNll);

    const FusedResult result = evaluate_on_chip<Number>(
        problem, plan_tiles(problem.topology, 2, 2, 1));

    CHECK(std::isnan(result.value));
    CHECK(std::isnan(evaluate_by_reference(problem).value));
    CHECK(result.gradient.isZero(0.0));
  }

  TEST_CASE_TEMPLATE("is finite with label smoothing if one underflows", Number,
                     double, float) {
    const FusedProblem problem =
        certain_problem(800.0, {Loss::kSoftmaxNll, 0.1});

    const FusedResult result = evaluate_on_chip<Number>(
        problem, plan_tiles(problem.topology, 2, 2, 1));

    CHECK(fused_error(result, evaluate_by_reference(problem)) <=
          kFusedTolerance<Number>);
  }

  TEST_CASE("ignores a loss that is not finite if the weight is 0") {
    FusedProblem problem = certain_problem(800.0, Loss::kSoftmaxNll);
    problem.instance_weights.setZero();

    const FusedResult result = evaluate_on_chip<double>(
        problem, plan_tiles(problem.topology, 2, 2, 1));

    CHECK(result.value == 0.0);
    CHECK(result.gradient.isZero(0.0));
  }

  TEST_CASE("passes a NaN on to loss and gradient") {
    FusedProblem problem = make_fused_problem(Topology({3, 4, 2}), 6, 5);
    problem.features(1, 2) = std::nan("");

    const FusedResult result = evaluate_on_chip<double>(
        problem, plan_tiles(problem.topology, 6, 4, 1));

    CHECK(std::isnan(result.value));
    CHECK(result.gradient.hasNaN());
  }
}

}  // namespace
