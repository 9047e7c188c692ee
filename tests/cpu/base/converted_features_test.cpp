// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cpu/base/converted_features.hpp"

#include <doctest/doctest.h>

#include <cstddef>

#include "../../../core/types.hpp"

namespace mlp::cpu {

namespace {

constexpr Index kNumFeatures = 37;
constexpr Index kSize = 40001;  // 11.8 MB

/// Numbers that float keeps.
Matrix make_features() {
  Matrix features(kNumFeatures, kSize);
  for (Index i = 0; i < features.size(); ++i) {
    features.data()[i] = static_cast<double>(i % 1021 + 1) / 8.0;
  }
  return features;
}

InstanceRange range_of(const Matrix& features) {
  InstanceRange range;
  range.size = features.cols();
  range.features = features.data();
  return range;
}

}  // namespace

TEST_SUITE("cpu/base/converted_features") {
  TEST_CASE("has nothing at first, and for no instances") {
    ConvertedFeatures<float> converted;

    CHECK(converted.data() == nullptr);
    converted.convert({}, 3);
    CHECK(converted.data() == nullptr);
  }

  TEST_CASE("replaces features that are lent, and writes them again") {
    const Matrix expected = make_features();
    Matrix features = expected;
    InstanceRange range = range_of(features);
    range.lent_features = features.data();
    {
      ConvertedFeatures<float> converted;

      converted.convert(range, kNumFeatures);

      CHECK((features.array() == 0.0).count() > features.size() / 2);
      CHECK(Eigen::Map<const Eigen::MatrixXf>(converted.data(), kNumFeatures,
                                              kSize) == expected.cast<float>());
    }
    CHECK(features == expected);
  }

  TEST_CASE("writes features again before it converts others") {
    const Matrix expected = make_features();
    Matrix features = expected;
    InstanceRange range = range_of(features);
    range.lent_features = features.data();
    ConvertedFeatures<float> converted;
    converted.convert(range, kNumFeatures);
    const Matrix others = Matrix::Constant(kNumFeatures, 5, 0.1);

    converted.convert(range_of(others), kNumFeatures);

    CHECK(features == expected);
    CHECK(converted.data()[4] == 0.1f);
  }
}

}  // namespace mlp::cpu
