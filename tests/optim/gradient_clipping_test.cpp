// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/gradient_clipping.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

namespace mlp::optim {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A few roundings of numbers near 1, and a long sum's of floats' squares.
constexpr double kRounding = 1e-14;

Vector vector_of(std::initializer_list<double> entries) {
  Vector vector(static_cast<Index>(entries.size()));
  std::copy(entries.begin(), entries.end(), vector.begin());
  return vector;
}

}  // namespace

TEST_SUITE("optim/gradient_clipping") {
  TEST_CASE("clamps each entry of the range alone") {
    Vector gradient = vector_of({9.0, -9.0, 0.5, 9.0, -kInfinity, 9.0});

    clip_by_value<double>({1, 4}, 2.0, gradient);

    CHECK(gradient == vector_of({9.0, -2.0, 0.5, 2.0, -2.0, 9.0}));
  }

  TEST_CASE("keeps NaN when it clamps") {
    Eigen::VectorXf gradient = Eigen::VectorXf::Constant(3, std::nanf(""));

    clip_by_value<float>({0, 3}, 1.0, gradient);

    CHECK(gradient.array().isNaN().all());
  }

  // Recorded from torch 2.15, clip_grad_norm_([3, 4], max_norm=2).
  TEST_CASE("scales to the limit as PyTorch does") {
    Vector gradient = vector_of({3.0, 4.0});
    const std::array ranges{UpdateRange{0, 1}, UpdateRange{1, 1}};

    const double norm = clip_by_norm<double>(ranges, 2.0, gradient);

    CHECK(norm == 5.0);
    CHECK(std::abs(gradient[0] - 1.199999760000048) < kRounding);
    CHECK(std::abs(gradient[1] - 1.599999680000064) < kRounding);
  }

  TEST_CASE("neither counts nor scales what lies outside of the ranges") {
    Vector gradient = vector_of({100.0, 3.0, 4.0, 100.0});
    const std::array ranges{UpdateRange{1, 2}};

    CHECK(clip_by_norm<double>(ranges, 2.0, gradient) == 5.0);

    CHECK(gradient[0] == 100.0);
    CHECK(gradient[3] == 100.0);
    CHECK(gradient.segment(1, 2).norm() < 2.0);
  }

  TEST_CASE("leaves a gradient within the limit as it is") {
    Vector gradient = vector_of({3.0, 4.0});
    const std::array ranges{UpdateRange{0, 2}};

    clip_by_norm<double>(ranges, 5.1, gradient);

    CHECK(gradient == vector_of({3.0, 4.0}));
  }

  TEST_CASE("leaves a gradient whose norm is not finite as it is") {
    const std::array ranges{UpdateRange{0, 2}};
    Vector with_nan = vector_of({3.0, std::nan("")});
    Vector with_infinity = vector_of({3.0, kInfinity});

    CHECK(std::isnan(clip_by_norm<double>(ranges, 1.0, with_nan)));
    CHECK(clip_by_norm<double>(ranges, 1.0, with_infinity) == kInfinity);

    CHECK(with_nan[0] == 3.0);
    CHECK(with_infinity == vector_of({3.0, kInfinity}));
  }

  // 1003 is no multiple of the chains; a float of 0.1 squared is not 0.01.
  TEST_CASE("sums the squares of floats in double") {
    const Eigen::VectorXf gradient = Eigen::VectorXf::Constant(1005, 0.1f);

    const double sum = sum_of_squares<float>({1, 1003}, gradient);

    const double expected = 1003.0 * static_cast<double>(0.1f) * 0.1f;
    CHECK(std::abs(sum / expected - 1.0) < kRounding);
  }
}

}  // namespace mlp::optim
