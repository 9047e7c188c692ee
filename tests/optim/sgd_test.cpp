// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/sgd.hpp"

#include <doctest/doctest.h>

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

/// 50 steps of 0.01 in all weights, which all decay.
Vector run(const SgdOptions& options) {
  Sgd<double> sgd(3, options);
  Vector w = start();
  for (int step = 0; step < 50; ++step) {
    sgd.begin_step(0.01);
    sgd.update({0, 3, true}, w, gradient_at(w));
  }
  return w;
}

/// The same, word by word.
Vector run_naively(const SgdOptions& options) {
  Vector w = start();
  Vector v = Vector::Zero(3);
  for (int step = 0; step < 50; ++step) {
    const Vector g = gradient_at(w) + options.weight_decay * w;
    v = options.momentum * v + g;
    w -= 0.01 * (options.is_nesterov ? Vector(g + options.momentum * v) : v);
  }
  return w;
}

double distance(const Vector& a, const Vector& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

/// Two steps of 1 along the gradient 1, from 0.
double after_two_steps(const SgdOptions& options) {
  Sgd<double> sgd(1, options);
  Vector w = Vector::Zero(1);
  for (int step = 0; step < 2; ++step) {
    sgd.begin_step(1.0);
    sgd.update({0, 1}, w, Vector::Ones(1));
  }
  return w[0];
}

}  // namespace

TEST_SUITE("optim/sgd") {
  // The velocities are 1 and 1.5, Nesterov's steps 1 + 0.5 and 1 + 0.75.
  TEST_CASE("keeps velocity and looks ahead with Nesterov's") {
    CHECK(after_two_steps({}) == -2.0);
    CHECK(after_two_steps({0.5, false, 0.0}) == -2.5);
    CHECK(after_two_steps({0.5, true, 0.0}) == -3.25);
  }

  // Recorded from torch 2.15 in float64, torch.optim.SGD with lr 0.01, 50 steps
  // from start() with gradient_at().
  TEST_CASE("agrees with PyTorch over 50 steps") {
    const Eigen::Vector3d plain(0.48650788727879757, 0.009589374081213374,
                                0.42680844229554715);
    const Eigen::Vector3d momentum(-0.3759889353638392, 0.15469408257114897,
                                   -0.03421507147705163);
    const Eigen::Vector3d nesterov(-0.35944600917339814, 0.0299010332490714,
                                   -0.050075504805120935);

    CHECK(distance(run({}), plain) < kRounding);
    CHECK(distance(run({0.9, false, 0.0}), momentum) < kRounding);
    CHECK(distance(run({0.9, true, 0.01}), nesterov) < kRounding);
  }

  TEST_CASE("agrees with the rule written naively") {
    for (const SgdOptions& options :
         {SgdOptions{}, SgdOptions{0.5, true, 0.0}, SgdOptions{0.0, false, 0.3},
          SgdOptions{0.7, false, 0.1}}) {
      CHECK(distance(run(options), run_naively(options)) < kRounding);
    }
  }

  TEST_CASE("decays where the range says so") {
    Sgd<double> sgd(2, {0.0, false, 0.25});
    Vector w = Vector::Constant(2, 4.0);

    sgd.begin_step(0.5);
    sgd.update({0, 1, true}, w, Vector::Zero(2));
    sgd.update({1, 1, false}, w, Vector::Zero(2));

    CHECK(w == Eigen::Vector2d(4.0 - 0.5 * 0.25 * 4.0, 4.0));
    CHECK(sgd.num_steps() == 1);
  }

  TEST_CASE("makes the same bits however the range is split") {
    constexpr Index kSize = 100;
    const SgdOptions options{0.9, true, 0.1};
    Sgd<float> whole(kSize, options);
    Sgd<float> split(kSize, options);
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
    Sgd<double> rule(40, {0.9, true, 0.1});
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
    Sgd<float> rule(40, {0.9, true, 0.1});
    Floats expected = draw<float>(40, 1);
    rule.begin_step(0.1);
    rule.update({0, 40, true}, expected, gradient);
    ByteWriter writer;
    rule.save(writer);
    Floats weights = expected;
    Sgd<float> restored(40, {0.9, true, 0.1});

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
    Sgd<float> first(40, {0.9, true, 0.1});
    first.begin_step(0.1);
    first.update({0, 40, true}, weights, gradient);
    Eigen::VectorXf other_weights = weights;
    Sgd<float> other(40, {0.9, true, 0.1});

    other.set_state(first.num_steps(), first.velocity());

    for (auto* rule : {&first, &other}) rule->begin_step(0.1);
    first.update({0, 40, true}, weights, gradient);
    other.update({0, 40, true}, other_weights, gradient);
    CHECK(other.num_steps() == 2);
    CHECK(other_weights == weights);
  }

  TEST_CASE("refuses the state of another size or number type") {
    ByteWriter writer;
    Sgd<float>(4, {0.9, true, 0.1}).save(writer);
    const auto refusal = [&](auto rule) {
      ByteReader reader(writer.bytes(), "run.state");
      return test::thrown_message<ModelError>([&] { rule.restore(reader); });
    };

    CHECK(refusal(Sgd<float>(4, {0.9, true, 0.1})).empty());
    CHECK(refusal(Sgd<float>(5, {0.9, true, 0.1})) ==
          "run.state: the number of weights must be 5 as in this run; got 4 in "
          "the state; resume the run that wrote it");
    CHECK(refusal(Sgd<double>(4, {0.9, true, 0.1})) ==
          "run.state: the bytes of a number must be 8 as in this run; got 4 in "
          "the state; resume the run that wrote it");
  }

  TEST_CASE("refuses a state without the velocity that it needs") {
    ByteWriter writer;
    Sgd<double>(4, {}).save(writer);
    ByteReader reader(writer.bytes(), "run.state");
    Sgd<double> sgd(4, {0.9, false, 0.0});

    CHECK_THROWS_WITH_AS(
        sgd.restore(reader),
        "run.state: momentum must be 0 in both runs or in none; got 0 in one; "
        "resume with the momentum of the run that wrote the state",
        ModelError);
  }
}

}  // namespace mlp::optim
