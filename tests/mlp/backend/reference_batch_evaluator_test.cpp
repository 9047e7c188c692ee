// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/backend/reference_batch_evaluator.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <type_traits>
#include <vector>

#include "../../../mlp/backend/reference_backend.hpp"
#include "../../../mlp/network/batch_norm.hpp"
#include "../../../mlp/network/initial_weights.hpp"
#include "../../../mlp/objective/training_objective.hpp"
#include "../random_instances.hpp"

namespace mlp {

namespace {

using Batch = std::vector<Index>;

// A few roundings of numbers near 1, in sums of some tens.
constexpr double kRounding = 1e-13;

// The same in single precision.
constexpr double kFloatRounding = 1e-5;

/// A loss and its gradient.
struct Result {
  double value = 0.0;
  Vector gradient;
  Vector statistics;
};

/// An evaluator and instances of its own.
template <typename Number = double>
struct Fixture {
  using Numbers = Eigen::Matrix<Number, Eigen::Dynamic, 1>;

  explicit Fixture(const Topology& of, const FrozenLayers& frozen = {})
      : topology(of),
        data(testing::draw_instances(topology, 20)),
        weights(draw_initial_weights(topology, 5).cast<Number>()),
        evaluator(topology, frozen) {
    evaluator.bind(data.range());
  }

  Result evaluate(const Batch& batch, std::uint64_t seed = 1) {
    Numbers gradient = Numbers::Constant(topology.num_weights(), Number(9));
    Numbers statistics = BatchNorm::initial_statistics(topology).cast<Number>();
    ThreadPool pool(1);
    const double value =
        evaluator.value_and_gradient({batch, seed}, weights.data(),
                                     statistics.data(), gradient.data(), pool);
    return {value, gradient.template cast<double>(),
            statistics.template cast<double>()};
  }

  Topology topology;
  testing::RandomInstances data;
  Numbers weights;
  std::conditional_t<std::is_same_v<Number, double>, ReferenceBatchEvaluator,
                     Float32ReferenceBatchEvaluator>
      evaluator;
};

Topology plain_topology(LossFunction loss = {}) {
  return Topology({3, 4, 2}, loss);
}

Topology rich_topology() {
  const HiddenLayer layer{*Activation::find("tanh"), true, true, 0.3};
  return Topology({3, 4, 4, 2}, {}, {layer, layer});
}

Batch all_instances() {
  Batch batch(20);
  std::iota(batch.begin(), batch.end(), Index{0});
  return batch;
}

}  // namespace

TEST_SUITE("mlp/backend/reference_batch_evaluator") {
  // z = 2 x of a network of one weight 2 and the bias 0, targets 1 and 0: losses
  // (2 - 1)^2 / 2 = 0.5 and 6^2 / 2 = 18, weighing 1 and 3: 54.5 / 4. The
  // gradient is (1 * 1 * 1 + 3 * 6 * 3) / 4 = 13.75 and (1 + 18) / 4 = 4.75.
  TEST_CASE("computes the weighted mean of a worked example") {
    ReferenceBatchEvaluator evaluator(Topology({1, 1}, Loss::kSquaredError),
                                      {});
    const Vector features{{1.0, 3.0}};
    const Vector counts{{1.0, 3.0}};
    const Vector targets{{1.0, 0.0}};
    const Vector weights{{2.0, 0.0}};
    Vector gradient(2);
    ThreadPool pool(1);
    evaluator.bind(
        {2, features.data(), counts.data(), nullptr, targets.data()});

    const Batch both{0, 1};
    const double value = evaluator.value_and_gradient(
        {both}, weights.data(), nullptr, gradient.data(), pool);

    CHECK(value == 13.625);
    CHECK(gradient == Vector{{13.75, 4.75}});
  }

  TEST_CASE("agrees with the objective of all instances over their weight") {
    for (const LossFunction& loss :
         {LossFunction(), LossFunction(Loss::kSoftmaxNll, 0.1),
          LossFunction(Loss::kSquaredError)}) {
      Fixture<> fixture(plain_topology(loss));
      TrainingObjective objective(fixture.topology, fixture.data.range(),
                                  {&reference_backend(), 1});
      Vector gradient(fixture.weights.size());
      const double sum = fixture.data.weights.sum();
      const double value =
          objective.value_and_gradient(fixture.weights, gradient) / sum;

      const Result result = fixture.evaluate(all_instances());

      CHECK(std::abs(result.value - value) < kRounding);
      CHECK((result.gradient - gradient / sum).norm() < kRounding);
    }
  }

  TEST_CASE("averages the batches of single instances by their weights") {
    Fixture<> fixture(plain_topology());
    const Vector& counts = fixture.data.weights;

    const Result both = fixture.evaluate({4, 17});

    const Result first = fixture.evaluate({4});
    const Result second = fixture.evaluate({17});
    const double share = counts[4] / (counts[4] + counts[17]);
    CHECK(std::abs(both.value - share * first.value -
                   (1.0 - share) * second.value) < kRounding);
    CHECK((both.gradient - share * first.gradient -
           (1.0 - share) * second.gradient)
              .norm() < kRounding);
  }

  TEST_CASE("lets instances without weights weigh 1 each") {
    Fixture<> fixture(plain_topology());
    InstanceRange unweighted = fixture.data.range();
    unweighted.weights = nullptr;
    fixture.evaluator.bind(unweighted);
    const Result result = fixture.evaluate({3, 1, 2});
    fixture.data.weights.setOnes();
    fixture.evaluator.bind(fixture.data.range());

    const Result expected = fixture.evaluate({3, 1, 2});

    CHECK(result.value == expected.value);
    CHECK(result.gradient == expected.gradient);
  }

  TEST_CASE("is 0 where the weights of a batch sum to 0") {
    Fixture<> fixture(rich_topology());
    fixture.data.weights.setZero();

    const Result result = fixture.evaluate({3, 1, 2});

    CHECK(result.value == 0.0);
    CHECK(result.gradient.isZero(0.0));
  }

  TEST_CASE("gives the same bits after larger and smaller batches") {
    Fixture<> fixture(rich_topology());
    const Result first = fixture.evaluate({3, 1, 2, 8});
    static_cast<void>(fixture.evaluate(all_instances()));
    static_cast<void>(fixture.evaluate({5, 6}));

    const Result second = fixture.evaluate({3, 1, 2, 8});

    CHECK(second.value == first.value);
    CHECK(second.gradient == first.gradient);
    CHECK(second.statistics == first.statistics);
  }

  TEST_CASE("leaves out other units with another seed and the same with one") {
    Fixture<> fixture(rich_topology());

    const Result one = fixture.evaluate(all_instances(), 1);

    CHECK(fixture.evaluate(all_instances(), 1).value == one.value);
    CHECK(fixture.evaluate(all_instances(), 2).value != one.value);
  }

  TEST_CASE("moves the running statistics of layers that are not frozen") {
    Fixture<> fixture(rich_topology(), {false, true, false});
    const Vector before = BatchNorm::initial_statistics(fixture.topology);

    const Result result = fixture.evaluate(all_instances());

    CHECK((result.statistics.head(8).array() != before.head(8).array()).all());
    CHECK(result.statistics.tail(8) == before.tail(8));
  }

  TEST_CASE("has a gradient of 0 for frozen layers and the same beside them") {
    Fixture<> free(plain_topology());
    Fixture<> frozen(plain_topology(), {true, false});

    const Result expected = free.evaluate(all_instances());
    const Result result = frozen.evaluate(all_instances());

    CHECK(result.value == expected.value);
    CHECK(result.gradient.head(16).isZero(0.0));
    CHECK(result.gradient.tail(10) == expected.gradient.tail(10));
  }

  TEST_CASE("computes in single precision as in double") {
    Fixture<double> exact(rich_topology());
    Fixture<float> single(rich_topology());

    const Result expected = exact.evaluate(all_instances());
    const Result result = single.evaluate(all_instances());

    CHECK(std::abs(result.value - expected.value) < kFloatRounding);
    CHECK((result.gradient - expected.gradient).norm() < kFloatRounding);
    CHECK((result.statistics - expected.statistics).norm() < kFloatRounding);
  }
}

}  // namespace mlp
