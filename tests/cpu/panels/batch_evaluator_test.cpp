// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/backend/batch_evaluator.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../../../cpu/cpu_backend.hpp"
#include "../../../mlp/backend/reference_backend.hpp"
#include "../random_networks.hpp"

namespace mlp {

namespace {

using namespace testing;

/// Sizes below, at and above what kernels and tiles take at once.
constexpr Index kBatchSizes[] = {2, 7, 72, 73, 128, 200};
constexpr Index kMostInstances = 200;

/// Checks every instruction set against the specification.
template <typename Number>
void check_batch(const Topology& topology, Index size,
                 const FrozenLayers& frozen = {}) {
  const RandomInstances instances = draw_instances(topology, kMostInstances);
  const auto expected =
      step<Number>(reference_backend(), topology, instances, size, frozen);
  for (const Backend* backend : cpu::usable_backends()) {
    CAPTURE(backend->name());
    CAPTURE(size);

    const auto result =
        step<Number>(*backend, topology, instances, size, frozen);

    CHECK(distance(result, expected) < kTolerance<Number>);
  }
}

/// A network of two layers of the same kind, the second keeping its width.
Topology two_of(const HiddenLayer& layer, LossFunction loss = {}) {
  return Topology({19, 37, 37, 5}, loss, {layer, layer});
}

/// The backends with a fused multiply-add, and so with the same bits.
std::vector<const Backend*> fused_backends() {
  std::vector<const Backend*> backends;
  for (const Backend* backend : cpu::usable_backends()) {
    const std::string name = backend->name();
    if (name.starts_with("AVX")) backends.push_back(backend);
  }
  return backends;
}

}  // namespace

TEST_SUITE("cpu/panels/batch_evaluator") {
  TEST_CASE("computes nothing where it is asked to stop") {
    const std::atomic<bool> is_stopping{true};
    const Topology topology = two_of(hidden_layer("tanh"));
    const RandomInstances instances = draw_instances(topology, 100);
    const std::vector<Index> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    const Vector weights = Vector::Ones(topology.num_weights());
    const auto evaluator = cpu::backend().make_batch_evaluator(
        topology, {}, std::type_identity<double>{});
    evaluator->bind(instances.range());
    MiniBatch batch{all};
    batch.is_stopping = &is_stopping;
    for (const int num_threads : {1, 3}) {
      ThreadPool pool(num_threads);
      Vector gradient = Vector::Constant(topology.num_weights(), 7.0);

      evaluator->value_and_gradient(batch, weights.data(), nullptr,
                                    gradient.data(), pool);

      CHECK((gradient.array() == 7.0).all());
    }
  }

  TEST_CASE_TEMPLATE("equals the specification for every hidden layer", Number,
                     double, float) {
    for (const std::string& name : testing::activation_names()) {
      for (int parts = 0; parts < 8; ++parts) {
        CAPTURE(name);
        CAPTURE(parts);
        const HiddenLayer layer =
            hidden_layer(name, (parts & 1) != 0, (parts & 2) != 0,
                         (parts & 4) != 0 ? 0.4 : 0.0);

        check_batch<Number>(two_of(layer), 73);
      }
    }
  }

  TEST_CASE_TEMPLATE("equals the specification for every loss and size", Number,
                     double, float) {
    for (const LossFunction& loss : all_losses()) {
      for (const Index size : kBatchSizes) {
        check_batch<Number>(two_of(hidden_layer("tanh", true, true, 0.2), loss),
                            size);
      }
      check_batch<Number>(two_of(hidden_layer("elu", true), loss), 1);
    }
  }

  TEST_CASE_TEMPLATE("equals the specification for all kinds of widths", Number,
                     double, float) {
    for (const Index width : {1, 7, 8, 9, 31, 32, 33, 64, 65, 129}) {
      CAPTURE(width);
      const HiddenLayer layer = hidden_layer("softplus", true, true);

      check_batch<Number>(Topology({width, width, 2 * width, width},
                                   {Loss::kSquaredError}, {layer, layer}),
                          72);
    }
  }

  TEST_CASE_TEMPLATE(
      "equals the specification for a network without hidden "
      "layers and for deep and long sums",
      Number, double, float) {
    check_batch<Number>(Topology({40, 3}), 128);
    check_batch<Number>(Topology({900, 600, 3}, {}, {hidden_layer("swish")}),
                        200);
    check_batch<Number>(
        Topology({9, 8, 8, 8, 8, 8, 8, 4}, {},
                 std::vector<HiddenLayer>(6, hidden_layer("swish", true))),
        73);
  }

  TEST_CASE("equals the specification for random networks") {
    for (int draw = 0; draw < 120; ++draw) {
      CAPTURE(draw);
      SparkRandom random(draw);
      const Topology topology = testing::draw_topology(random, true);
      const auto size = static_cast<Index>(2 + random.next_double() * 150);

      check_batch<double>(topology, size);
      check_batch<float>(topology, size);
    }
  }

  TEST_CASE_TEMPLATE("leaves frozen layers out and stops below them", Number,
                     double, float) {
    const HiddenLayer layer = hidden_layer("elu", true, true, 0.3);
    const Topology topology({12, 20, 20, 9, 3}, {}, {layer, layer, layer});
    for (int mask = 0; mask < 16; ++mask) {
      CAPTURE(mask);
      FrozenLayers frozen;
      for (int k = 0; k < 4; ++k) frozen.push_back((mask >> k & 1) != 0);

      check_batch<Number>(topology, 50, frozen);
    }
  }

  TEST_CASE_TEMPLATE("gives the same bits on any number of threads", Number,
                     double, float) {
    const HiddenLayer layer = hidden_layer("swish", true, true, 0.25);
    const Topology topology({150, 100, 70, 6}, {}, {layer, layer});
    const RandomInstances instances = draw_instances(topology, kMostInstances);
    for (const Backend* backend : cpu::usable_backends()) {
      CAPTURE(backend->name());

      const auto alone = step<Number>(*backend, topology, instances, 200);

      for (int threads = 2; threads <= 4; ++threads) {
        CHECK(step<Number>(*backend, topology, instances, 200, {}, threads) ==
              alone);
      }
    }
  }

  TEST_CASE_TEMPLATE("gives the same bits with AVX2 and AVX-512", Number,
                     double, float) {
    const HiddenLayer layer = hidden_layer("softplus", true, true, 0.25);
    const Topology topology({150, 100, 70, 6}, {}, {layer, layer});
    const RandomInstances instances = draw_instances(topology, kMostInstances);
    const std::vector<const Backend*> backends = fused_backends();

    for (const Backend* backend : backends) {
      CHECK(step<Number>(*backend, topology, instances, 131) ==
            step<Number>(*backends.front(), topology, instances, 131));
    }
  }

  TEST_CASE("divides by the divisor of a share rather than by its weights") {
    const Topology topology = two_of(hidden_layer("relu"));
    const RandomInstances instances = draw_instances(topology, kMostInstances);
    const Vector weights = testing::draw_weights(topology, 3);
    const std::vector<Index> places{4, 0, 9, 77};
    ThreadPool pool(1);
    const auto evaluate = [&](const Backend& backend, double divisor) {
      const auto evaluator = backend.make_batch_evaluator(
          topology, {}, std::type_identity<double>{});
      evaluator->bind(instances.range());
      MiniBatch batch{places, 11};
      batch.divisor = divisor;
      Vector gradient(topology.num_weights());
      Vector statistics;
      return evaluator->value_and_gradient(
          batch, weights.data(), statistics.data(), gradient.data(), pool);
    };

    for (const Backend* backend : cpu::usable_backends()) {
      const double loss = evaluate(*backend, 64.0);
      CHECK(loss == doctest::Approx(evaluate(reference_backend(), 64.0)));
      CHECK(evaluate(*backend, 16.0) == 4.0 * loss);
    }
  }

  TEST_CASE("takes smaller and larger batches one after the other") {
    const Topology topology = two_of(hidden_layer("relu", true, true, 0.5));
    const RandomInstances instances = draw_instances(topology, kMostInstances);
    const auto evaluator = cpu::backend().make_batch_evaluator(
        topology, {}, std::type_identity<double>{});
    evaluator->bind(instances.range());
    const Vector weights = testing::draw_weights(topology, 3);
    ThreadPool pool(2);
    for (const Index size : {50, 9, 50, 51, 130, 131, 50}) {
      Vector gradient(topology.num_weights());
      Vector statistics = BatchNorm::initial_statistics(topology);
      std::vector<Index> batch(static_cast<std::size_t>(size));
      std::iota(batch.rbegin(), batch.rend(), Index{0});

      evaluator->value_and_gradient({batch, 11}, weights.data(),
                                    statistics.data(), gradient.data(), pool);

      CHECK(gradient ==
            step<double>(cpu::backend(), topology, instances, size).gradient);
    }
  }

  TEST_CASE(
      "weighs instances by 1 where they have no weights and gives 0 where "
      "the weights sum to 0") {
    const Topology topology = two_of(hidden_layer("relu"));
    RandomInstances instances = draw_instances(topology, kMostInstances);
    instances.weights.setOnes();
    const auto ones = step<double>(cpu::backend(), topology, instances, 30);
    instances.weights.setZero();

    const auto zeros = step<double>(cpu::backend(), topology, instances, 30);

    CHECK(zeros.loss == 0.0);
    CHECK(zeros.gradient.isZero(0.0));
    CHECK(ones.loss > 0.0);
  }

  TEST_CASE_TEMPLATE("hands on a feature that is no number", Number, double,
                     float) {
    const Topology topology =
        Topology({150, 100, 70, 6}, {},
                 {hidden_layer("relu", true, true), hidden_layer("tanh")});
    RandomInstances instances = draw_instances(topology, kMostInstances);
    instances.features(1, 4) = std::numeric_limits<double>::quiet_NaN();
    for (const Backend* backend : cpu::usable_backends()) {
      CAPTURE(backend->name());

      const auto result =
          step<Number>(*backend, topology, instances, 200, {}, 2);

      CHECK(std::isnan(result.loss));
    }
  }
}

}  // namespace mlp
