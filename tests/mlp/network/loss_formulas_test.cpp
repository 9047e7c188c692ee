// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/network/loss_formulas.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace mlp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A few roundings of numbers near 1.
constexpr double kRounding = 1e-14;

// A few roundings of numbers near 750.
constexpr double kLargeRounding = 1e-12;

// Truncation h^2 and rounding 1e-16 / h of the central difference, h = 1e-5.
constexpr double kDifferenceTolerance = 1e-9;
constexpr double kStep = 1e-5;

Vector numbers(double a, double b, double c) {
  Vector vector(3);
  vector << a, b, c;
  return vector;
}

Vector softmax_of(Vector z) {
  softmax(z);
  return z;
}

/// Compares what a loss makes of the outputs with differences of its value.
void check_differences(const std::function<double(Vector&)>& loss) {
  const Vector at = numbers(0.3, -1.2, 2.0);
  Vector delta = at;
  loss(delta);

  for (Index i = 0; i < 3; ++i) {
    double difference = 0.0;
    for (const double sign : {1.0, -1.0}) {
      Vector z = at;
      z[i] += sign * kStep;
      difference += sign * loss(z);
    }
    CHECK(std::abs(difference / (2 * kStep) - delta[i]) < kDifferenceTolerance);
  }
}

bool is_all_nan(const Vector& v) { return v.array().isNaN().all(); }

}  // namespace

TEST_SUITE("mlp/loss_formulas softmax") {
  // exp of log 1, log 2, log 5, over 8.
  TEST_CASE("divides the exponentials by their sum") {
    const Vector p = softmax_of(numbers(0.0, std::log(2.0), std::log(5.0)));

    CHECK((p - numbers(0.125, 0.25, 0.625)).norm() < kRounding);
  }

  TEST_CASE("does not change when all outputs move by the same number") {
    const Vector p = softmax_of(numbers(0.5, -1.0, 2.0));

    CHECK((softmax_of(numbers(1000.5, 999.0, 1002.0)) - p).norm() < kRounding);
    CHECK((softmax_of(numbers(-999.5, -1001.0, -998.0)) - p).norm() <
          kRounding);
  }

  TEST_CASE("stays finite for outputs of any finite size") {
    CHECK(softmax_of(numbers(1e308, 0.0, -1e308)) == numbers(1.0, 0.0, 0.0));
    CHECK(softmax_of(numbers(-1e308, -1e308, -1e308)) ==
          Vector::Constant(3, 1.0 / 3.0));
  }

  TEST_CASE("gives the only class the probability 1") {
    CHECK(softmax_of(Vector::Constant(1, -5.0))[0] == 1.0);
  }

  TEST_CASE("lets one NaN make every probability NaN") {
    CHECK(is_all_nan(softmax_of(numbers(kNaN, 0.0, 1.0))));
    CHECK(is_all_nan(softmax_of(numbers(1.0, 0.0, kNaN))));
  }

  // inf - inf is NaN, as in Spark.
  TEST_CASE("lets an output of infinity make every probability NaN") {
    CHECK(is_all_nan(softmax_of(numbers(kInfinity, 0.0, 1.0))));
    CHECK(softmax_of(numbers(-kInfinity, 0.0, 0.0)) == numbers(0.0, 0.5, 0.5));
  }
}

TEST_SUITE("mlp/network/loss_formulas") {
  TEST_CASE("takes minus the logarithm of the label's probability") {
    const Vector p = numbers(0.125, 0.25, 0.625);

    CHECK(negative_log_likelihood(p, 0) == -std::log(0.125));
    CHECK(negative_log_likelihood(p, 2) == -std::log(0.625));
    CHECK(negative_log_likelihood(Vector::Ones(1), 0) == 0.0);
  }

  TEST_CASE("is NaN where another class has probability 0 as 0 log 0 is") {
    CHECK(std::isnan(negative_log_likelihood(numbers(1.0, 0.0, 0.0), 0)));
    CHECK(std::isnan(negative_log_likelihood(numbers(0.5, 0.5, 0.0), 0)));
    CHECK(std::isnan(negative_log_likelihood(numbers(0.0, 1.0, 0.0), 0)));
  }

  TEST_CASE("is infinite where only the label has probability 0") {
    CHECK(negative_log_likelihood(numbers(0.5, 0.5, 0.0), 2) == kInfinity);
  }

  TEST_CASE("is NaN where a probability is NaN be it the label's or another") {
    CHECK(std::isnan(negative_log_likelihood(numbers(kNaN, 0.5, 0.5), 0)));
    CHECK(std::isnan(negative_log_likelihood(numbers(kNaN, 0.5, 0.5), 1)));
  }

  TEST_CASE("turns outputs into weight times probability minus target") {
    Vector z = numbers(0.0, std::log(2.0), std::log(5.0));

    const double loss = softmax_nll(z, 1, 4.0);

    CHECK(std::abs(loss - 4.0 * std::log(4.0)) < kRounding);
    CHECK((z - numbers(0.5, -3.0, 2.5)).norm() < kRounding);
  }

  // exp(-750) underflows to 0, exp(-740) does not.
  TEST_CASE("loses its value but not its gradient where a class underflows") {
    Vector far = numbers(0.0, 750.0, 750.0);
    Vector near = numbers(0.0, 740.0, 740.0);

    CHECK(std::isnan(softmax_nll(far, 1, 1.0)));
    CHECK(softmax_nll(near, 1, 1.0) == std::log(2.0));
    CHECK(far == numbers(0.0, -0.5, 0.5));
  }

  // Outputs log 3 and 0 are 0.75 and 0.5 after the sigmoid: differences 0.5 and
  // 0.5 from the targets 0.25 and 0, slopes 0.1875 and 0.25.
  TEST_CASE("turns outputs into the derivative of half the squared error") {
    Vector z(2), target(2), expected(2);
    z << std::log(3.0), 0.0;
    target << 0.25, 0.0;
    expected << 2.0 * 0.5 * 0.1875, 2.0 * 0.5 * 0.25;

    const double loss = sigmoid_squared_error(z, target, 2.0);

    CHECK(std::abs(loss - 2.0 * (0.25 + 0.25) / 2.0) < kRounding);
    CHECK((z - expected).norm() < kRounding);
  }

  TEST_CASE("agrees with finite differences for both losses") {
    const Vector target = numbers(0.9, 0.1, 0.4);

    check_differences([](Vector& z) { return softmax_nll(z, 1, 0.7); });
    check_differences(
        [&](Vector& z) { return sigmoid_squared_error(z, target, 0.7); });
  }

  TEST_CASE("writes into a column of a matrix in place") {
    Matrix z = Matrix::Zero(2, 3);

    const double loss = softmax_nll(z.col(1), 0, 2.0);

    CHECK(std::abs(loss - 2.0 * std::log(2.0)) < kRounding);
    CHECK(z(0, 1) == -1.0);
    CHECK(z(1, 1) == 1.0);
    CHECK(z.col(0) == Vector::Zero(2));
    CHECK(z.col(2) == Vector::Zero(2));
  }

  // p = (1, 2, 5) / 8 and t = 0.3 / 3 everywhere + 0.7 at class 1: (0.1, 0.8,
  // 0.1). The loss is -(0.1 log 1/8 + 0.8 log 1/4 + 0.1 log 5/8).
  TEST_CASE("spreads a share of the target over all classes") {
    Vector z = numbers(0.0, std::log(2.0), std::log(5.0));

    const double loss = log_softmax_nll(z, 1, 0.3, 2.0);

    const double expected =
        -(0.1 * std::log(0.125) + 0.8 * std::log(0.25) + 0.1 * std::log(0.625));
    CHECK(std::abs(loss - 2.0 * expected) < kRounding);
    CHECK((z - 2.0 * numbers(0.025, -0.55, 0.525)).norm() < kRounding);
  }

  // t = 1/3 everywhere: the label does not matter, and equal outputs are best.
  TEST_CASE("forgets the label at a smoothing of 1") {
    Vector z = Vector::Constant(3, 4.0);
    Vector other = numbers(1.0, 2.0, 3.0);
    Vector same = other;

    CHECK(std::abs(log_softmax_nll(z, 0, 1.0, 1.0) - std::log(3.0)) <
          kRounding);
    CHECK(z.norm() < kRounding);
    CHECK(log_softmax_nll(other, 0, 1.0, 1.0) ==
          log_softmax_nll(same, 2, 1.0, 1.0));
  }

  TEST_CASE("becomes the unsmoothed loss as the smoothing goes to 0") {
    constexpr double kSmoothing = 1e-15;
    Vector z = numbers(0.3, -1.2, 2.0);
    Vector plain = z;

    const double loss = log_softmax_nll(z, 1, kSmoothing, 0.7);

    CHECK(std::abs(loss - softmax_nll(plain, 1, 0.7)) < kRounding);
    CHECK((z - plain).norm() < kRounding);
  }

  // log p = -750 - log 2 of the first class, and p - t is -1 at the label.
  TEST_CASE("stays finite without smoothing where the label underflows") {
    Vector z = numbers(0.0, 750.0, 750.0);

    const double loss = log_softmax_nll(z, 0, 0.0, 1.0);

    CHECK(loss == doctest::Approx(750.0 + std::log(2.0)).epsilon(kRounding));
    CHECK(z == numbers(-1.0, 0.5, 0.5));
  }

  // Two equal outputs share the probability, however large they are.
  TEST_CASE("keeps all digits for outputs of any finite size") {
    for (const double size : {1e4, 1e16, 1e30, 1e300}) {
      CAPTURE(size);
      Vector tied = numbers(-size, size, size);
      Vector wrong = numbers(-size, 0.0, size);

      CHECK(log_softmax_nll(tied, 1, 0.0, 2.0) == 2.0 * std::log(2.0));
      CHECK(log_softmax_nll(wrong, 0, 0.0, 2.0) == 4.0 * size);
      CHECK(tied == numbers(0.0, -1.0, 1.0));
      CHECK(wrong == numbers(-2.0, 0.0, 2.0));
    }
  }

  TEST_CASE("lets one NaN make a loss by log-sum-exp NaN") {
    Vector z = numbers(1.0, kNaN, 0.0);

    CHECK(std::isnan(log_softmax_nll(z, 0, 0.0, 1.0)));
    CHECK(is_all_nan(z));
  }

  TEST_CASE("gives the same loss by log-sum-exp as by probabilities") {
    Vector z = numbers(0.3, -1.2, 2.0);
    Vector plain = z;

    const double loss = log_softmax_nll(z, 1, 0.0, 0.7);

    CHECK(std::abs(loss - softmax_nll(plain, 1, 0.7)) < kRounding);
    CHECK(z == plain);
  }

  // log p = -750 - log 2 of the first class, p = 0 in double precision; the loss
  // is 0.3 / 3 (750 + log 2) + 0.9 log 2, 0.9 being the rest of the target.
  TEST_CASE("stays finite with smoothing where a class underflows") {
    Vector z = numbers(0.0, 750.0, 750.0);

    const double loss = log_softmax_nll(z, 1, 0.3, 1.0);

    CHECK(loss == doctest::Approx(75.0 + std::log(2.0)).epsilon(kRounding));
    CHECK((z - numbers(-0.1, -0.3, 0.4)).norm() < kLargeRounding);
  }

  // Differences 0.5 and -2 from the targets: 3 (0.25 + 4) / 2 = 6.375.
  TEST_CASE("halves the squared error of the outputs themselves") {
    Vector z{{1.5, -1.0}};

    const double loss = squared_error(z, Vector{{1.0, 1.0}}, 3.0);

    CHECK(loss == 6.375);
    CHECK(z == Vector{{1.5, -6.0}});
  }

  TEST_CASE("agrees with differences for smoothing and the squared error") {
    const Vector target = numbers(0.9, 0.1, 0.4);

    check_differences(
        [](Vector& z) { return log_softmax_nll(z, 1, 0.2, 0.7); });
    check_differences([&](Vector& z) { return squared_error(z, target, 0.7); });
  }
}

}  // namespace mlp
