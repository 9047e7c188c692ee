// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "../../cpu/cpu_backend.hpp"
#include "../../mlp/backend/reference_backend.hpp"
#include "../../mlp/objective/training_objective.hpp"
#include "../mlp/backend/slice_evaluators.hpp"
#include "../mlp/evaluation.hpp"
#include "random_networks.hpp"

namespace mlp {

namespace {

using namespace testing;

Evaluation evaluate(const Backend& backend, const Topology& topology,
                    Precision precision, const RandomInstances& instances) {
  return evaluate_slice(backend, topology, precision, instances.range(),
                        testing::draw_weights(topology, 3),
                        Vector::Ones(topology.num_weights()));
}

Matrix compute_output(const Backend& backend, const Topology& topology,
                      Precision precision, const RandomInstances& instances,
                      Index k) {
  return testing::compute_output(backend, topology,
                                 testing::draw_weights(topology, 3),
                                 instances.range(), k, precision);
}

/// Checks gradient and outputs of every instruction set and precision.
void check_network(const Topology& topology, Index size) {
  const RandomInstances instances = draw_instances(topology, size);
  const Evaluation expected =
      evaluate(reference_backend(), topology, Precision::kFloat64, instances);
  for (const Backend* backend : cpu::usable_backends()) {
    for (const Precision precision :
         {Precision::kFloat64, Precision::kFloat32}) {
      CAPTURE(backend->name());
      CAPTURE(precision_name(precision));
      const double tolerance =
          precision == Precision::kFloat64 ? kDoubleTolerance : kFloatTolerance;

      const Evaluation result =
          evaluate(*backend, topology, precision, instances);

      CHECK(result.value == doctest::Approx(expected.value).epsilon(tolerance));
      CHECK(distance(result.gradient, expected.gradient) < tolerance);
      for (Index k = 0; k < topology.num_layers(); ++k) {
        CHECK(distance(
                  compute_output(*backend, topology, precision, instances, k),
                  compute_output(reference_backend(), topology,
                                 Precision::kFloat64, instances, k)) <
              tolerance);
      }
    }
  }
}

}  // namespace

TEST_SUITE("cpu/network_evaluator") {
  TEST_CASE("replaces the gradient, by zeros for no instances") {
    for (const Topology& topology :
         {Topology({5, 4, 3}, {}, {hidden_layer("relu")}),
          Topology({5, 40, 3})}) {
      const RandomInstances instances = draw_instances(topology, 9);
      const Vector x = testing::draw_weights(topology, 3);
      const InstanceRange all = instances.range();
      const InstanceRange none = all.slice(0, 0, 5, 3);
      for (const Backend* backend : cpu::usable_backends()) {
        auto evaluator = testing::make_slice_evaluator(*backend, topology);
        evaluator->bind(all);
        evaluator->set_weights(x.data());
        const auto workspace = evaluator->make_workspace();
        Vector gradient = Vector::Zero(x.size());
        static_cast<void>(
            evaluator->compute_gradient(all, gradient.data(), *workspace));
        Vector again = Vector::Constant(x.size(), 7.0);
        static_cast<void>(
            evaluator->compute_gradient(all, again.data(), *workspace));
        CHECK(again == gradient);
        CHECK(evaluator->compute_gradient(none, again.data(), *workspace) ==
              0.0);
        CHECK(again.isZero(0.0));
      }
    }
  }

  TEST_CASE("equals the specification for every activation and loss") {
    for (const std::string& name : testing::activation_names()) {
      for (const LossFunction& loss : testing::all_losses()) {
        CAPTURE(name);
        const HiddenLayer plain = hidden_layer(name);
        const HiddenLayer residual = hidden_layer(name, true);

        check_network(Topology({21, 35, 35, 4}, loss, {plain, residual}), 100);
        check_network(Topology({5, 9, 9, 4}, loss, {plain, residual}), 100);
        check_network(Topology({5, 9, 4}, loss, {residual}), 100);
      }
    }
  }

  TEST_CASE("equals the specification for random networks") {
    for (const int max_width : {16, 70}) {
      for (int draw = 0; draw < 60; ++draw) {
        CAPTURE(max_width);
        CAPTURE(draw);
        SparkRandom random(draw);
        const Topology topology =
            testing::draw_topology(random, false, max_width);

        check_network(topology,
                      static_cast<Index>(1 + random.next_double() * 250));
      }
    }
  }

  TEST_CASE("leads the objective to the same bits on any number of threads") {
    const Topology topology({30, 40, 3}, {}, {hidden_layer("relu", true)});
    const RandomInstances instances = draw_instances(topology, 3000);
    const Vector weights = testing::draw_weights(topology, 3);
    Vector expected;
    for (int threads = 1; threads <= 4; ++threads) {
      TrainingObjective objective(
          topology, instances.range(),
          {&cpu::backend(), threads, Precision::kFloat32});
      Vector gradient(topology.num_weights());

      objective.value_and_gradient(weights, gradient);

      if (threads == 1) expected = gradient;
      CHECK(gradient == expected);
    }
  }
}

}  // namespace mlp
