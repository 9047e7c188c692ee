// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../mlp/backend/scoring_plan.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../../core/spark_random.hpp"
#include "../../cpu/cpu_backend.hpp"
#include "../../mlp/backend/reference_backend.hpp"
#include "../../mlp/network/initial_weights.hpp"
#include "random_networks.hpp"

namespace mlp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Another order of summation over at most a thousand terms.
constexpr double kRoundingTolerance = 1e-12;

/// The same in single precision, 2^29 times as coarse, and some layers deep.
constexpr double kSingleTolerance = 2e-5;

/// exp is within 1 ulp; the sum and the quotient add half an ulp each.
constexpr double kSigmoidUlps = 3.0;

/// Widths on both sides of every vector, panel, square and stack size, and of
/// those that lanes serve.
const std::vector<std::vector<Index>> kNetworks = {
    {1, 1},         {2, 2, 2},     {4, 5, 4, 3},    {3, 8, 12, 2},
    {64, 24, 3},    {65, 13, 4},   {7, 12, 13, 31}, {64, 100, 10},
    {9, 1, 210, 2}, {1025, 9, 33}, {200, 30},       {5, 16, 7, 16},
    {5, 48, 49, 7}, {3, 17, 2},    {3, 1100, 2},    {100, 17, 5, 6},
    {97, 33, 7},    {103, 52, 5},  {1024, 20, 3},   {902, 50, 49}};

Matrix draw(Index rows, Index columns) {
  SparkRandom random(rows + columns);
  Matrix matrix(rows, columns);
  for (double& x : matrix.reshaped()) x = 4.0 * random.next_double() - 2.0;
  return matrix;
}

Matrix score(const Backend& backend, const Topology& topology,
             const Vector& weights, const Matrix& features,
             Precision precision = Precision::kFloat64) {
  const auto plan = backend.make_plan(topology, weights.data(), precision);
  Matrix raw(topology.num_classes(), features.cols());
  plan->compute_raw(features.data(), features.cols(), raw.data());
  return raw;
}

/// The same, each row in a call of its own.
Matrix score_rows(const Backend& backend, const Topology& topology,
                  const Vector& weights, const Matrix& features,
                  Precision precision = Precision::kFloat64) {
  const auto plan = backend.make_plan(topology, weights.data(), precision);
  Matrix raw(topology.num_classes(), features.cols());
  for (Index i = 0; i < features.cols(); ++i) {
    plan->compute_raw(features.col(i).data(), 1, raw.col(i).data());
  }
  return raw;
}

/// Keeps every fifth feature.
Matrix thinned(Matrix features) {
  for (Index i = 0; i < features.size(); ++i) {
    if (i % 5 != 0) features.data()[i] = 0.0;
  }
  return features;
}

bool equal_or_both_nan(const Matrix& a, const Matrix& b) {
  return ((a.array() == b.array()) || (a.array().isNaN() && b.array().isNaN()))
      .all();
}

/// Compares with the specification, and rows alone with rows together.
void check_rows(const Topology& topology, const Matrix& features) {
  const Vector weights = testing::draw_weights(topology, 3);
  const Matrix expected =
      score(reference_backend(), topology, weights, features);
  for (const Backend* backend : cpu::usable_backends()) {
    CAPTURE(backend->name());
    for (const Precision precision :
         {Precision::kFloat64, Precision::kFloat32}) {
      CAPTURE(precision_name(precision));
      const Matrix together =
          score(*backend, topology, weights, features, precision);
      CHECK(testing::distance(together, expected) <
            (precision == Precision::kFloat64 ? testing::kDoubleTolerance
                                              : testing::kFloatTolerance));
      CHECK(together ==
            score_rows(*backend, topology, weights, features, precision));
    }
  }
}

}  // namespace

TEST_SUITE("cpu/scoring_plan") {
  TEST_CASE("computes rows and batches as the reference does") {
    for (const auto& layers : kNetworks) {
      const Topology topology(layers);
      const Vector weights = draw_initial_weights(topology, 7);
      const Matrix features = draw(layers.front(), 37);
      const Matrix expected =
          score(reference_backend(), topology, weights, features);
      for (const Backend* backend : cpu::usable_backends()) {
        CAPTURE(backend->name());
        CAPTURE(layers.front());

        const Matrix batch = score(*backend, topology, weights, features);
        const Matrix single =
            score(*backend, topology, weights, features, Precision::kFloat32);

        CHECK((batch - expected).norm() <=
              kRoundingTolerance * expected.norm());
        CHECK((single - expected).norm() <= kSingleTolerance * expected.norm());
      }
    }
  }

  TEST_CASE("gives a row the bits that it has in any batch") {
    for (const auto& layers : kNetworks) {
      const Topology topology(layers);
      const Vector weights = draw_initial_weights(topology, 7);
      const Matrix features = draw(layers.front(), 150);
      for (const Backend* backend : cpu::usable_backends()) {
        for (const Precision precision :
             {Precision::kFloat64, Precision::kFloat32}) {
          CAPTURE(backend->name());
          const Matrix rows =
              score_rows(*backend, topology, weights, features, precision);

          for (const Index size : {1, 2, 3, 4, 7, 8, 17, 64, 67, 72, 150}) {
            const Matrix batch = score(*backend, topology, weights,
                                       features.leftCols(size), precision);
            CHECK(batch == rows.leftCols(size));
          }
        }
      }
    }
  }

  TEST_CASE("reads rows of the precision that computes where they lie") {
    for (const auto& layers : kNetworks) {
      const Topology topology(layers);
      const Vector weights = draw_initial_weights(topology, 7);
      const Eigen::MatrixXf features = draw(layers.front(), 67).cast<float>();
      for (const Backend* backend : cpu::usable_backends()) {
        CAPTURE(backend->name());
        const auto plan =
            backend->make_plan(topology, weights.data(), Precision::kFloat32);
        Eigen::MatrixXf rows(topology.num_classes(), features.cols());
        for (Index i = 0; i < features.cols(); ++i) {
          plan->compute_raw(features.col(i).data(), 1, rows.col(i).data());
        }

        for (const Index size : {8, 17, 49, 67}) {
          const Eigen::MatrixXf copy = features.rightCols(size);
          Eigen::MatrixXf batch(topology.num_classes(), size);
          plan->compute_raw(copy.data(), size, batch.data());
          CHECK(batch == rows.rightCols(size));
        }
      }
    }
  }

  TEST_CASE("gives the same bits with AVX2 and AVX-512") {
    const Topology topology({30, 21, 5});
    const Vector weights = draw_initial_weights(topology, 7);
    const Matrix features = draw(30, 19);
    std::vector<Matrix> fused;
    for (const Backend* backend : cpu::usable_backends()) {
      if (std::string(backend->name()).starts_with("AVX")) {
        fused.push_back(score(*backend, topology, weights, features));
      }
    }

    for (const Matrix& raw : fused) CHECK(raw == fused.front());
  }

  TEST_CASE("reads and writes single precision in both precisions") {
    const Topology topology({70, 9, 3});
    const Vector weights = draw_initial_weights(topology, 7);
    const Eigen::MatrixXf features = draw(70, 21).cast<float>();
    for (const Backend* backend : cpu::usable_backends()) {
      for (const Precision precision :
           {Precision::kFloat64, Precision::kFloat32}) {
        const auto plan =
            backend->make_plan(topology, weights.data(), precision);
        Eigen::MatrixXf raw(3, 21);

        plan->compute_raw(features.data(), 21, raw.data());

        const Matrix expected = score(*backend, topology, weights,
                                      features.cast<double>(), precision);
        CHECK(raw == expected.cast<float>());
      }
    }
  }

  TEST_CASE("gives rows of float the bits of the same rows of double") {
    for (const auto& layers : kNetworks) {
      const Topology topology(layers);
      const Vector weights = draw_initial_weights(topology, 7);
      const Eigen::MatrixXf features = draw(layers.front(), 67).cast<float>();
      const Matrix wide = features.cast<double>();
      for (const Backend* backend : cpu::usable_backends()) {
        CAPTURE(backend->name());
        for (const Precision precision :
             {Precision::kFloat64, Precision::kFloat32}) {
          const auto plan =
              backend->make_plan(topology, weights.data(), precision);
          for (const Index size : {1, 3, 8, 49, 67}) {
            Matrix raw(topology.num_classes(), size);
            plan->compute_raw(features.data(), size, raw.data());
            CHECK(raw == score(*backend, topology, weights, wide.leftCols(size),
                               precision));
          }
        }
      }
    }
  }

  TEST_CASE("skips zeros without a change of the result") {
    const Topology topology({100, 30, 4});
    const Vector weights = draw_initial_weights(topology, 7);
    Matrix features = thinned(draw(100, 9));
    features.col(3).setZero();
    const Matrix expected =
        score(reference_backend(), topology, weights, features);
    for (const Backend* backend : cpu::usable_backends()) {
      const Matrix rows = score_rows(*backend, topology, weights, features);
      const Matrix batch = score(*backend, topology, weights, features);

      CHECK(rows == batch);
      CHECK((rows - expected).norm() <= kRoundingTolerance * expected.norm());
    }
  }

  // -0 + 0 w is 0, but -0 without the product stays -0.
  TEST_CASE("gives a row the same zeros alone and in a batch") {
    const Topology topology({100, 4});
    Vector weights = Vector::Ones(topology.num_weights());
    weights.tail(4).setConstant(-0.0);
    Matrix features = Matrix::Ones(100, 20);
    features.rightCols(10).setZero();
    for (const Backend* backend : cpu::usable_backends()) {
      const Matrix rows = score_rows(*backend, topology, weights, features);
      const Matrix batch = score(*backend, topology, weights, features);

      CHECK(rows == batch);
      for (Index i = 0; i < rows.size(); ++i) {
        CHECK(std::signbit(rows.data()[i]) == std::signbit(batch.data()[i]));
      }
    }
  }

  TEST_CASE("keeps 0 times infinity in the last weight of the first layer") {
    const Topology topology({100, 30, 3});
    Vector weights = draw_initial_weights(topology, 7);
    weights[topology.bias_offset(0) - 1] = kInfinity;
    Matrix features = thinned(draw(100, 90));
    features.row(99).setZero();
    for (const Backend* backend : cpu::usable_backends()) {
      CHECK(score_rows(*backend, topology, weights, features).hasNaN());
      CHECK(score(*backend, topology, weights, features).array().isNaN().all());
    }
  }

  TEST_CASE("computes in the precision asked for") {
    const Topology topology({20, 30, 3});
    const Vector weights = draw_initial_weights(topology, 7);
    const Matrix features = draw(20, 40);
    for (const Backend* backend : cpu::usable_backends()) {
      const Matrix raw =
          score(*backend, topology, weights, features, Precision::kFloat32);

      CHECK(raw == raw.cast<float>().cast<double>());
      CHECK(raw != score(*backend, topology, weights, features));
    }
  }

  TEST_CASE("keeps 0 times infinity where a weight is not finite") {
    const Topology topology({100, 3});
    for (const double bad : {kInfinity, -kInfinity, kNaN}) {
      Vector weights = draw_initial_weights(topology, 7);
      weights[4] = bad;  // input 1, output 1
      Matrix features = thinned(draw(100, 2));
      REQUIRE(features(1, 0) == 0.0);
      for (const Backend* backend : cpu::usable_backends()) {
        const Matrix raw = score_rows(*backend, topology, weights, features);

        CHECK(std::isfinite(raw(0, 0)));
        CHECK(std::isnan(raw(1, 0)));
        CHECK(std::isfinite(raw(2, 0)));
      }
    }
  }

  TEST_CASE("spreads NaN and infinity from a feature as the reference does") {
    for (const std::vector<Index>& layers :
         {std::vector<Index>{4, 5, 3}, {100, 40, 3}, {80, 2}}) {
      const Topology topology(layers);
      const Vector weights = draw_initial_weights(topology, 7);
      Matrix features = thinned(draw(layers.front(), 75));
      features(1, 2) = kNaN;
      features(2, 5) = kInfinity;
      features(0, 6) = -kInfinity;
      const Matrix expected =
          score(reference_backend(), topology, weights, features);
      for (const Backend* backend : cpu::usable_backends()) {
        CAPTURE(backend->name());

        const Matrix rows = score_rows(*backend, topology, weights, features);

        CHECK(equal_or_both_nan(rows,
                                score(*backend, topology, weights, features)));
        CHECK(rows.array().isNaN().cast<int>().matrix() ==
              expected.array().isNaN().cast<int>().matrix());
        CHECK(rows.array().isInf().cast<int>().matrix() ==
              expected.array().isInf().cast<int>().matrix());
      }
    }
  }

  // Raw predictions of a 1-1-1 network are the sigmoid itself.
  TEST_CASE("computes the sigmoid within a few ulps until exp overflows") {
    const Topology topology({1, 1, 1});
    Vector weights(4);
    weights << 1.0, 0.0, 1.0, 0.0;
    const Matrix z = Vector::LinSpaced(20001, -709.0, 745.0).transpose();
    for (const Backend* backend : cpu::usable_backends()) {
      CAPTURE(backend->name());

      const Matrix output = score(*backend, topology, weights, z);

      for (Index i = 0; i < z.size(); ++i) {
        const long double exact =
            1.0L / (1.0L + std::exp(-static_cast<long double>(z(0, i))));
        const double rounded = static_cast<double>(exact);
        const double ulp = std::nextafter(rounded, kInfinity) - rounded;
        CHECK(std::abs(output(0, i) - rounded) <= kSigmoidUlps * ulp);
      }
    }
  }

  TEST_CASE("keeps the sigmoid's limits in both precisions") {
    const Topology topology({1, 1, 1});
    Vector weights(4);
    weights << 1.0, 0.0, 1.0, 0.0;
    Matrix z(1, 7);
    z << -kInfinity, -1e30, -800.0, 0.0, 800.0, kInfinity, kNaN;
    for (const Backend* backend : cpu::usable_backends()) {
      for (const Precision precision :
           {Precision::kFloat64, Precision::kFloat32}) {
        const Matrix output =
            score_rows(*backend, topology, weights, z, precision);

        CHECK(output(0, 0) == 0.0);
        CHECK(output(0, 1) == 0.0);
        CHECK(output(0, 2) == 0.0);
        CHECK(output(0, 3) == 0.5);
        CHECK(output(0, 4) == 1.0);
        CHECK(output(0, 5) == 1.0);
        CHECK(std::isnan(output(0, 6)));
      }
    }
  }

  // Layers of up to 16 units are computed in lanes, wider ones in tiles, and few
  // rows one by one; the first layer reads the rows or a packed copy.
  TEST_CASE("gives any network the same bits alone and among other rows") {
    for (const int max_width : {16, 70}) {
      for (int draws = 0; draws < 60; ++draws) {
        CAPTURE(max_width);
        CAPTURE(draws);
        SparkRandom random(draws);
        const Topology topology =
            testing::draw_topology(random, false, max_width);
        const Matrix features = draw(topology.num_features(), 61);

        check_rows(topology, features);
        check_rows(topology, thinned(features));
      }
    }
  }
}

}  // namespace mlp
