// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/quantile_encoder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../thrown_message.hpp"

namespace mlp::datasets {

namespace {

using Edges = QuantileEncoder::Edges;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Dataset data_of(Matrix features, Vector weights = {}) {
  Dataset data;
  data.features = std::move(features);
  data.weights = std::move(weights);
  data.source = "t.csv";
  return data;
}

/// The edges of one feature.
Edges edges_of(const Vector& numbers, Index num_bins,
               const Vector& weights = {}) {
  return QuantileEncoder::fit(data_of(numbers.transpose(), weights), num_bins)
      .edges()
      .front();
}

std::string refusal(const Dataset& data) {
  return test::thrown_message<DataError>(
      [&] { return QuantileEncoder::fit(data, 4).num_values(); });
}

std::string refusal(const Edges& edges) {
  return test::thrown_message<ParamError>(
      [&] { return QuantileEncoder(3, {edges}).num_values(); });
}

}  // namespace

TEST_SUITE("datasets/quantile_encoder") {
  // Of 8 numbers, the quantiles at 0, 1/4, 2/4, 3/4 and 1 are the 1st, 2nd, 4th, 6th
  // and 8th.
  TEST_CASE("takes the quantiles of the numbers as edges") {
    const Vector numbers{{7, 1, 5, 3, 8, 2, 6, 4}};

    CHECK(edges_of(numbers, 4) == Edges{1, 2, 4, 6, 8});
    CHECK(edges_of(numbers, 2) == Edges{1, 4, 8});
  }

  TEST_CASE("removes quantiles that are equal") {
    CHECK(edges_of(Vector{{0, 0, 0, 0, 0, 1, 2, 3}}, 4) == Edges{0, 1, 3});
  }

  TEST_CASE("keeps every number as an edge if there are few different ones") {
    CHECK(edges_of(Vector{{2, 1, 0, 1, 2, 0}}, 12) == Edges{0, 1, 2});
  }

  TEST_CASE("leaves features linear that have fewer than three quantiles") {
    CHECK(edges_of(Vector{{5, 5, 5, 5}}, 4).empty());
    CHECK(edges_of(Vector{{0, 1, 1, 0}}, 4).empty());
    CHECK(edges_of(Vector{{7}}, 4).empty());
    // The only other number is beyond the quantile at 3/4.
    CHECK(edges_of(Vector{{0, 0, 0, 0, 0, 0, 0, 9}}, 4).empty());
  }

  TEST_CASE("counts an instance of weight two as two and of weight 0 not") {
    const Vector numbers{{1, 2, 3, 4, 100}};
    const Vector weights{{3, 1, 2, 2, 0}};
    const Vector copies{{1, 1, 1, 2, 3, 3, 4, 4}};

    for (const Index num_bins : {2, 3, 4, 7, 12}) {
      CHECK(edges_of(numbers, num_bins, weights) == edges_of(copies, num_bins));
    }
  }

  TEST_CASE("does not depend on the order of the instances") {
    Matrix features = Matrix::Random(1, 500);
    features = (features.array() * 20.0).round() / 10.0;
    const Vector weights = Vector::Random(500).cwiseAbs();
    const auto edges = edges_of(features.transpose(), 9, weights);

    CHECK(edges_of(features.transpose().reverse(), 9, weights.reverse()) ==
          edges);
  }

  TEST_CASE("makes one edge of the two zeros") {
    CHECK_FALSE(std::signbit(edges_of(Vector{{-1.0, -0.0, 0.0, 1.0}}, 4)[1]));
    CHECK_FALSE(std::signbit(edges_of(Vector{{-1.0, 0.0, -0.0, 1.0}}, 4)[1]));
  }

  // Bins 1..2 and 2..4.
  TEST_CASE("encodes a number as itself and its shares of the bins") {
    const QuantileEncoder encoder(4, {{1, 2, 4}});
    const Matrix numbers{{0.0, 1.5, 2.0, 3.0, 9.0}};

    CHECK(encoder.num_values() == 3);
    CHECK(encoder.encode(ConstMatrixRef(numbers)) ==
          Matrix{{0.0, 1.5, 2.0, 3.0, 9.0},
                 {0.0, 0.5, 1.0, 1.0, 1.0},
                 {0.0, 0.0, 0.0, 0.5, 1.0}});
  }

  TEST_CASE("writes the features first and then the bins by feature") {
    const QuantileEncoder encoder(2, {{0, 2, 4}, {}, {10, 20, 40}});
    const double features[] = {1.0, 7.0, 30.0};
    double values[7];

    encoder.encode(features, 1, values);

    CHECK(std::vector<double>(values, values + 7) ==
          std::vector<double>{1.0, 7.0, 30.0, 0.5, 0.0, 1.0, 0.5});
  }

  TEST_CASE("computes floats as the same numbers of type double") {
    const Matrix features = Matrix::Random(3, 50).cast<float>().cast<double>();
    const auto encoder = QuantileEncoder::fit(data_of(features), 5);
    const Eigen::MatrixXf floats = features.cast<float>();
    Matrix values(encoder.num_values(), 50);

    encoder.encode(floats.data(), 50, values.data());

    CHECK(values == encoder.encode(ConstMatrixRef(features)));
  }

  TEST_CASE("gives values from 0 to 1 at the ends of all finite numbers") {
    const QuantileEncoder encoder(2, {{-1e-320, 0.0, 1e300}});
    const Matrix numbers{{-1.7e308, 1.7e308}};

    CHECK(encoder.encode(ConstMatrixRef(numbers)).bottomRows(2) ==
          Matrix{{0.0, 1.0}, {0.0, 1.0}});
  }

  TEST_CASE("gives NaN for NaN") {
    const QuantileEncoder encoder(2, {{0, 1, 2}});

    CHECK(encoder.encode(ConstMatrixRef(Matrix{{kNan}})).array().isNaN().all());
  }

  TEST_CASE("replaces the features of a dataset and keeps their names") {
    Dataset data = data_of(Matrix{{1, 2, 3, 4}});
    data.feature_names = {"x"};
    const auto encoder = QuantileEncoder::fit(data, 2);

    encoder.encode(data);

    CHECK(data.num_features() == 3);
    CHECK(data.features.row(0) == Matrix{{1, 2, 3, 4}});
    CHECK(data.feature_names == std::vector<std::string>{"x"});
  }

  TEST_CASE("refuses to fit features that are not finite or too far apart") {
    CHECK(refusal(data_of(Matrix{{1, 2}, {3, kNan}})) ==
          "t.csv: features must be finite; feature 1 of instance 1 is NaN");
    Dataset wide = data_of(Matrix{{-1.5e308, 0, 1.5e308}});
    CHECK(QuantileEncoder::fit(wide, 2).num_values() == 3);
    wide.features = Matrix{{-1.5e308, 1.4e308, 1.5e308}};
    wide.feature_names = {"x"};
    CHECK(refusal(wide) ==
          "t.csv: quantiles of feature 0 ('x') must be less than 1.8e308 "
          "apart; got 1.4e+308 after -1.5e+308; scale it, or train with "
          "numericEncoding linear");
  }

  TEST_CASE("refuses edges that make no bins") {
    CHECK(refusal(Edges{1}) ==
          "edges of feature 0 must be none, or 2 to 4 numbers; got 1");
    CHECK(refusal(Edges{1, 2, 3, 4, 5}) ==
          "edges of feature 0 must be none, or 2 to 4 numbers; got 5");
    CHECK(refusal(Edges{1, 2, 2}) ==
          "edges of feature 0 must be increasing; got 2 after 2");
    CHECK(refusal(Edges{1, kInfinity}) ==
          "edges of feature 0 must be finite; got Infinity");
    CHECK(refusal(Edges{-1e308, 1e308}) ==
          "edges of feature 0 must be less than 1.8e308 apart; got 1e+308 "
          "after -1e+308");
  }

  TEST_CASE("refuses another number of features") {
    const QuantileEncoder encoder(2, {{0, 1, 2}, {}});

    CHECK(test::thrown_message<ShapeError>([&] {
            return encoder.encode(ConstMatrixRef(Matrix(3, 1))).size();
          }) == "features must have 2 rows as the numeric encoding has, got 3");
  }
}

}  // namespace mlp::datasets
