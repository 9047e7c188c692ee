// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../optim/lbfgs/lbfgs_history.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../../../core/spark_random.hpp"

namespace mlp::optim {

namespace {

constexpr Index kSize = 6;

// A few roundings of numbers up to 100.
constexpr double kRounding = 1e-11;

struct Pair {
  Vector s;
  Vector y;
};

Vector draw(SparkRandom& random) {
  Vector vector(kSize);
  for (Index i = 0; i < kSize; ++i) vector[i] = random.next_double() - 0.5;
  return vector;
}

/// Corrections of a quadratic with the curvatures 1 .. kSize: s.y > 0.
std::vector<Pair> draw_pairs(int count) {
  SparkRandom random(7);
  const Vector curvature = Vector::LinSpaced(kSize, 1.0, kSize);
  std::vector<Pair> pairs;
  for (int i = 0; i < count; ++i) {
    const Vector s = draw(random);
    pairs.push_back({s, curvature.cwiseProduct(s) + 0.1 * s});
  }
  return pairs;
}

void push(LbfgsHistory& history, const Pair& pair) {
  const Vector zero = Vector::Zero(pair.s.size());
  history.push(zero, pair.s, zero, pair.y);
}

/// The inverse Hessian by the BFGS formula, from the oldest pair to the newest:
/// H' = (I - s y^T / s.y) H (I - y s^T / s.y) + s s^T / s.y.
Matrix dense_inverse_hessian(const std::vector<Pair>& pairs) {
  const Pair& newest = pairs.back();
  const Matrix identity = Matrix::Identity(kSize, kSize);
  Matrix h = identity * (newest.s.dot(newest.y) / newest.y.squaredNorm());
  for (const Pair& pair : pairs) {
    const double rho = pair.s.dot(pair.y);
    const Matrix left = identity - pair.s * pair.y.transpose() / rho;
    h = left * h * left.transpose() + pair.s * pair.s.transpose() / rho;
  }
  return h;
}

Pair in_one_dimension(double s, double y) {
  return {Vector::Constant(1, s), Vector::Constant(1, y)};
}

Vector direction_of(LbfgsHistory history, const Vector& gradient) {
  Vector direction;
  REQUIRE(history.descend(gradient, direction));
  return direction;
}

LbfgsHistory history_of(Index size, const std::vector<Pair>& pairs) {
  LbfgsHistory history(size);
  for (const Pair& pair : pairs) push(history, pair);
  return history;
}

/// Tells whether corrections give no direction.
bool is_refused(const std::vector<Pair>& pairs) {
  Vector direction;
  return !history_of(10, pairs).descend(Vector::Constant(1, 1.0), direction);
}

}  // namespace

TEST_SUITE("optim/lbfgs/lbfgs_history") {
  TEST_CASE("descends along the gradient while it is empty") {
    LbfgsHistory history(10);
    const Vector gradient = Vector::LinSpaced(kSize, -1.0, 2.0);
    Vector direction;

    REQUIRE(history.descend(gradient, direction));

    CHECK(direction == -gradient);
    CHECK(history.size() == 0);
  }

  // s = 2, y = 8: the curvature is 4, so that -H g = -12 / 4.
  TEST_CASE("takes the Newton step of a parabola from one correction") {
    const Vector direction =
        direction_of(history_of(10, {in_one_dimension(2.0, 8.0)}),
                     Vector::Constant(1, 12.0));

    CHECK(direction[0] == doctest::Approx(-3.0).epsilon(kRounding));
  }

  TEST_CASE("takes differences of points and of gradients") {
    LbfgsHistory history(10);
    history.push(Vector::Constant(1, 5.0), Vector::Constant(1, 7.0),
                 Vector::Constant(1, 1.0), Vector::Constant(1, 9.0));

    const Vector direction = direction_of(history, Vector::Constant(1, 12.0));

    CHECK(direction[0] == doctest::Approx(-3.0).epsilon(kRounding));
  }

  TEST_CASE("agrees with the dense inverse Hessian of BFGS") {
    for (int count = 1; count <= 5; ++count) {
      const std::vector<Pair> pairs = draw_pairs(count);
      const LbfgsHistory history = history_of(5, pairs);
      SparkRandom random(99);
      const Vector gradient = draw(random);

      const Vector direction = direction_of(history, gradient);

      const Vector expected = -dense_inverse_hessian(pairs) * gradient;
      CAPTURE(count);
      CHECK(history.size() == count);
      CHECK((direction - expected).norm() < kRounding);
    }
  }

  TEST_CASE("forgets the oldest correction beyond its size") {
    const std::vector<Pair> pairs = draw_pairs(11);
    const LbfgsHistory history = history_of(3, pairs);
    const Vector gradient = Vector::LinSpaced(kSize, -1.0, 2.0);

    const Vector direction = direction_of(history, gradient);

    const Vector expected =
        -dense_inverse_hessian({pairs.end() - 3, pairs.end()}) * gradient;
    CHECK(history.size() == 3);
    CHECK((direction - expected).norm() < kRounding);
  }

  TEST_CASE("starts again after clear at any position of its ring") {
    const std::vector<Pair> pairs = draw_pairs(4);
    for (std::size_t before = 0; before < 8; ++before) {
      LbfgsHistory history(3);
      for (std::size_t i = 0; i < before; ++i) push(history, pairs[i % 4]);
      history.clear();
      CHECK(history.size() == 0);
      push(history, pairs[1]);
      push(history, pairs[3]);
      const Vector gradient = Vector::LinSpaced(kSize, -1.0, 2.0);

      const Vector direction = direction_of(history, gradient);

      const Vector expected =
          -dense_inverse_hessian({pairs[1], pairs[3]}) * gradient;
      CAPTURE(before);
      CHECK((direction - expected).norm() < kRounding);
    }
  }

  TEST_CASE("keeps nothing where its size is 0") {
    const LbfgsHistory history = history_of(0, {in_one_dimension(2.0, 8.0)});

    const Vector direction = direction_of(history, Vector::Constant(1, 12.0));

    CHECK(history.size() == 0);
    CHECK(direction[0] == -12.0);
  }

  TEST_CASE("refuses a newest correction of negative curvature") {
    CHECK(
        is_refused({in_one_dimension(1.0, 2.0), in_one_dimension(1.0, -2.0)}));
  }

  TEST_CASE("uses an older correction of negative curvature as Breeze does") {
    const LbfgsHistory history = history_of(
        10, {in_one_dimension(1.0, -2.0), in_one_dimension(1.0, 2.0)});

    direction_of(history, Vector::Constant(1, 1.0));
    CHECK(history.size() == 2);
  }

  TEST_CASE("refuses corrections that are not numbers whether old or new") {
    const Pair good = in_one_dimension(1.0, 2.0);
    const Pair bad = in_one_dimension(1.0, std::nan(""));

    CHECK(is_refused({good, bad}));
    CHECK(is_refused({bad, good}));
  }

  TEST_CASE("refuses a step of length 0 whose coefficient is 0 / 0") {
    CHECK(is_refused({in_one_dimension(0.0, 2.0)}));
  }

  TEST_CASE("comes back from bytes wherever its ring stood") {
    const std::vector<Pair> pairs = draw_pairs(8);
    const Vector gradient = Vector::LinSpaced(kSize, -1.0, 2.0);
    for (std::size_t count = 0; count < 8; ++count) {
      CAPTURE(count);
      LbfgsHistory history(3);
      for (std::size_t i = 0; i < count; ++i) push(history, pairs[i]);
      ByteWriter writer;
      history.save(writer);
      ByteReader reader(writer.bytes(), "run.state");
      LbfgsHistory restored(3);
      restored.restore(reader, kSize);
      push(history, pairs[count]);
      push(restored, pairs[count]);

      CHECK(restored.size() == history.size());
      CHECK(direction_of(restored, gradient) ==
            direction_of(history, gradient));
    }
  }

  TEST_CASE("refuses to come back from more corrections than it keeps") {
    for (const std::int64_t count : {std::int64_t{4}, std::int64_t{-1}}) {
      ByteWriter writer;
      writer.write(std::int64_t{3});
      writer.write(count);
      ByteReader reader(writer.bytes(), "run.state");
      LbfgsHistory history(3);
      const std::string sentence =
          "run.state: the number of corrections must be 0 to 3; got " +
          std::to_string(count);

      CHECK_THROWS_WITH_AS(history.restore(reader, kSize), sentence.c_str(),
                           ModelError);
    }
  }
}

}  // namespace mlp::optim
