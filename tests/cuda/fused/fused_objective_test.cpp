// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/fused/fused_objective.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../../../cuda/runtime/graph.hpp"
#include "fused_problem.hpp"

namespace {

using mlp::Index;
using mlp::Precision;
using mlp::Topology;
using mlp::cuda::DeviceArray;
using mlp::cuda::DeviceObjective;
using mlp::cuda::Graph;
using mlp::cuda::make_fused_objective;
using mlp::cuda::Stream;
using namespace mlp::testing;

FusedResult download(const DeviceArray<double>& value,
                     const DeviceArray<double>& gradient,
                     const Stream& stream) {
  FusedResult result;
  result.gradient.resize(gradient.size());
  gradient.download({result.gradient.data(), at(gradient.size())}, stream);
  result.value = value.download(stream)[0];
  return result;
}

TEST_SUITE("cuda/fused/fused_objective") {
  TEST_CASE("gives value and gradient of the reference in both precisions") {
    const Stream stream;
    const FusedProblem problem = make_fused_problem(Topology({5, 7, 3}), 90, 1);
    const FusedData<double> data(problem, stream);
    const FusedResult expected = evaluate_by_reference(problem);
    DeviceArray<double> value(1);
    DeviceArray<double> gradient(problem.weights.size());
    const auto error_of = [&](Precision precision) {
      const auto objective = make_fused_objective(problem.topology, precision,
                                                  data.instances(), stream);
      objective->add_evaluation(data.weights(), value.data(), gradient.data(),
                                nullptr);
      return fused_error(download(value, gradient, stream), expected);
    };

    CHECK(error_of(Precision::kFloat64) <= kFusedTolerance<double>);
    CHECK(error_of(Precision::kFloat32) <= kFusedTolerance<float>);
    CHECK(error_of(Precision::kFloat32) > kFusedTolerance<double>);
  }

  TEST_CASE("gives the same bits in a graph, at the weights of each launch") {
    const Stream stream;
    const FusedProblem problem = make_fused_problem(Topology({4, 6, 3}), 40, 2);
    const FusedData<double> data(problem, stream);
    const auto objective = make_fused_objective(
        problem.topology, Precision::kFloat64, data.instances(), stream);
    DeviceArray<double> weights(problem.weights.size());
    DeviceArray<double> value(1);
    DeviceArray<double> gradient(problem.weights.size());
    REQUIRE(objective->is_capturable());
    Graph graph;
    graph.capture(stream, [&] {
      objective->add_evaluation(weights.data(), value.data(), gradient.data(),
                                nullptr);
    });
    for (const double factor : {1.0, 0.5}) {
      const mlp::Vector now = problem.weights * factor;
      weights.upload({now.data(), at(now.size())}, stream);

      graph.launch(stream);
      const FusedResult in_graph = download(value, gradient, stream);

      objective->add_evaluation(weights.data(), value.data(), gradient.data(),
                                nullptr);
      CHECK(in_graph == download(value, gradient, stream));
    }
  }

  TEST_CASE("announces the first layer when all gradients are added") {
    const Stream stream;
    const FusedProblem problem = make_fused_problem(Topology({4, 6, 3}), 8, 2);
    const FusedData<double> data(problem, stream);
    const auto objective = make_fused_objective(
        problem.topology, Precision::kFloat64, data.instances(), stream);
    DeviceArray<double> value(1);
    DeviceArray<double> gradient(problem.weights.size());
    std::vector<Index> announced;

    objective->add_evaluation(data.weights(), value.data(), gradient.data(),
                              [&](Index layer) { announced.push_back(layer); });

    CHECK(announced == std::vector<Index>{0});
    stream.synchronize();
  }

  TEST_CASE("is null for a network that does not fit on chip") {
    const Stream stream;

    CHECK(make_fused_objective(Topology({784, 100, 10}), Precision::kFloat32,
                               {}, stream) == nullptr);
  }

  TEST_CASE("is null if the evaluation layer by layer should be faster") {
    const Stream stream;
    mlp::cuda::FusedInstances many;
    many.size = 1'000'000;

    CHECK(make_fused_objective(Topology({64, 64, 64, 10}), Precision::kFloat64,
                               many, stream) == nullptr);
  }
}

}  // namespace
