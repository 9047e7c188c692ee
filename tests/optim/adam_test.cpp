// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/adam.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include "../../core/spark_random.hpp"
#include "../thrown_message.hpp"

namespace mlp::optim {

namespace {

using Floats = Eigen::VectorXf;

// Recorded numbers and the naive rule round in another order.
constexpr double kRounding = 1e-12;

Vector start() { return Eigen::Vector3d(1.0, -2.0, 0.5); }

/// The gradient that the recorded runs had.
Vector gradient_at(const Vector& w) {
  return Eigen::Array3d(1.0, 10.0, 0.1) * w.array() +
         Eigen::Array3d(0.3, -0.2, 0.1);
}

template <typename Number>
Eigen::Matrix<Number, Eigen::Dynamic, 1> draw(Index size, std::int64_t seed) {
  SparkRandom random(seed);
  Eigen::Matrix<Number, Eigen::Dynamic, 1> vector(size);
  for (Number& x : vector) x = static_cast<Number>(random.next_double() - 0.5);
  return vector;
}

/// Algorithm 1 and its decoupled decay, word by word.
struct NaiveAdam {
  AdamOptions options;
  Vector m = Vector::Zero(3);
  Vector v = Vector::Zero(3);
  int t = 0;

  void step(double size, const Vector& g, Vector& w) {
    ++t;
    for (Index i = 0; i < w.size(); ++i) {
      w[i] -= size * options.weight_decay * w[i];
      m[i] = options.beta1 * m[i] + (1.0 - options.beta1) * g[i];
      v[i] = options.beta2 * v[i] + (1.0 - options.beta2) * g[i] * g[i];
      const double mean = m[i] / (1.0 - std::pow(options.beta1, t));
      const double square = v[i] / (1.0 - std::pow(options.beta2, t));
      w[i] -= size * mean / (std::sqrt(square) + options.epsilon);
    }
  }
};

/// 50 steps of 0.01 in all weights, which all decay.
Vector run(const AdamOptions& options) {
  Adam<double> adam(3, options);
  Vector w = start();
  for (int step = 0; step < 50; ++step) {
    adam.begin_step(0.01);
    adam.update({0, 3, true}, w, gradient_at(w));
  }
  return w;
}

Vector run_naively(const AdamOptions& options) {
  NaiveAdam adam{options};
  Vector w = start();
  for (int step = 0; step < 50; ++step) adam.step(0.01, gradient_at(w), w);
  return w;
}

double distance(const Vector& a, const Vector& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

}  // namespace

TEST_SUITE("optim/adam") {
  // m = 0.1 g, v = 0.001 g^2, both unbiased by the first step: g / |g|.
  TEST_CASE("first steps by the step size whatever the gradient is") {
    Adam<double> adam(2, {0.9, 0.999, 1e-300, 0.0});
    Vector w = Vector::Zero(2);

    adam.begin_step(0.5);
    adam.update({0, 2}, w, Eigen::Vector2d(-3.0, 1e-3));

    CHECK(distance(w, Eigen::Vector2d(0.5, -0.5)) < kRounding);
    CHECK(adam.num_steps() == 1);
  }

  // Recorded from torch 2.15 in float64, torch.optim.Adam and AdamW with lr
  // 0.01, 50 steps from start() with gradient_at().
  TEST_CASE("agrees with PyTorch over 50 steps") {
    const Eigen::Vector3d adam(0.5269908020734932, -1.5164077318896338,
                               0.022897170531737385);
    const Eigen::Vector3d adam_w(0.49250506035005154, -1.4339778790264617,
                                 0.011077504065414332);

    CHECK(distance(run({}), adam) < kRounding);
    CHECK(distance(run({0.9, 0.999, 1e-8, 0.1}), adam_w) < kRounding);
  }

  TEST_CASE("agrees with the algorithm written naively") {
    for (const AdamOptions& options :
         {AdamOptions{}, AdamOptions{0.5, 0.9, 1e-3, 0.0},
          AdamOptions{0.0, 0.0, 1e-2, 0.3}}) {
      CHECK(distance(run(options), run_naively(options)) < kRounding);
    }
  }

  TEST_CASE("decays where the range says so") {
    Adam<double> adam(2, {0.9, 0.999, 1e-8, 0.25});
    Vector w = Vector::Constant(2, 4.0);

    adam.begin_step(0.5);
    adam.update({0, 1, true}, w, Vector::Zero(2));
    adam.update({1, 1, false}, w, Vector::Zero(2));

    CHECK(w == Eigen::Vector2d(4.0 * (1.0 - 0.5 * 0.25), 4.0));
  }

  TEST_CASE("takes the exact roots of floats") {
    detail::UpdateChunk<float> chunk;
    chunk << 0.0f, 2.0f, 3.0f, 1e-40f, 1e30f, HUGE_VALF, 7.0f, 0.1f;
    const detail::UpdateChunk<float> squares = chunk;

    detail::take_roots<float>(chunk);

    for (Index i = 0; i < chunk.size(); ++i) {
      CHECK(chunk[i] == std::sqrt(squares[i]));
    }
  }

  TEST_CASE("makes the same bits however the range is split") {
    constexpr Index kSize = 100;
    const AdamOptions options{0.9, 0.999, 1e-8, 0.1};
    Adam<float> whole(kSize, options);
    Adam<float> split(kSize, options);
    Floats expected = draw<float>(kSize, 1);
    Floats weights = expected;

    for (int step = 0; step < 5; ++step) {
      const Floats gradient = draw<float>(kSize, 10 + step);
      whole.begin_step(0.01);
      whole.update({0, kSize, true}, expected, gradient);
      split.begin_step(0.01);
      split.update({37, 63, true}, weights, gradient);
      split.update({0, 1, true}, weights, gradient);
      split.update({1, 36, true}, weights, gradient);
    }

    CHECK(weights == expected);
  }

  TEST_CASE("leaves what lies outside of its ranges as it is") {
    Adam<double> rule(40, {0.9, 0.999, 1e-8, 0.1});
    const Vector before = draw<double>(40, 1);
    Vector weights = before;

    rule.begin_step(0.1);
    rule.update({7, 20, true}, weights, draw<double>(40, 2));

    CHECK(weights.head(7) == before.head(7));
    CHECK((weights.segment(7, 20).array() != before.segment(7, 20).array())
              .all());
    CHECK(weights.tail(13) == before.tail(13));
  }

  TEST_CASE("goes on in the same bits after its state was restored") {
    const Floats gradient = draw<float>(40, 2);
    Adam<float> rule(40, {0.9, 0.999, 1e-8, 0.1});
    Floats expected = draw<float>(40, 1);
    rule.begin_step(0.1);
    rule.update({0, 40, true}, expected, gradient);
    ByteWriter writer;
    rule.save(writer);
    Floats weights = expected;
    Adam<float> restored(40, {0.9, 0.999, 1e-8, 0.1});

    ByteReader reader(writer.bytes(), "run.state");
    restored.restore(reader);
    reader.require_end();

    CHECK(restored.num_steps() == 1);
    rule.begin_step(0.1);
    rule.update({0, 40, true}, expected, gradient);
    restored.begin_step(0.1);
    restored.update({0, 40, true}, weights, gradient);
    CHECK(weights == expected);
  }

  TEST_CASE("takes over the state of a rule that ran elsewhere") {
    const Eigen::VectorXf gradient =
        Eigen::VectorXf::LinSpaced(40, -1.0F, 1.0F);
    Eigen::VectorXf weights = Eigen::VectorXf::Ones(40);
    Adam<float> first(40, {0.9, 0.999, 1e-8, 0.1});
    first.begin_step(0.1);
    first.update({0, 40, true}, weights, gradient);
    Eigen::VectorXf other_weights = weights;
    Adam<float> other(40, {0.9, 0.999, 1e-8, 0.1});

    other.set_state(first.num_steps(), first.mean(), first.mean_square());

    for (auto* rule : {&first, &other}) rule->begin_step(0.1);
    first.update({0, 40, true}, weights, gradient);
    other.update({0, 40, true}, other_weights, gradient);
    CHECK(other.num_steps() == 2);
    CHECK(other_weights == weights);
  }

  TEST_CASE("refuses the state of another size or number type") {
    ByteWriter writer;
    Adam<float>(4, {0.9, 0.999, 1e-8, 0.1}).save(writer);
    const auto refusal = [&](auto rule) {
      ByteReader reader(writer.bytes(), "run.state");
      return test::thrown_message<ModelError>([&] { rule.restore(reader); });
    };

    CHECK(refusal(Adam<float>(4, {0.9, 0.999, 1e-8, 0.1})).empty());
    CHECK(refusal(Adam<float>(5, {0.9, 0.999, 1e-8, 0.1})) ==
          "run.state: the number of weights must be 5 as in this run; got 4 in "
          "the state; resume the run that wrote it");
    CHECK(refusal(Adam<double>(4, {0.9, 0.999, 1e-8, 0.1})) ==
          "run.state: the bytes of a number must be 8 as in this run; got 4 in "
          "the state; resume the run that wrote it");
  }
}

}  // namespace mlp::optim
