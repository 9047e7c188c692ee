// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cpu/panels/converted_features.hpp"

#include <doctest/doctest.h>

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

TEST_SUITE("cpu/panels/converted_features") {
  TEST_CASE("converts nothing for no instances") {
    CHECK(ConvertedFeatures<float>::convert({}, 3) == nullptr);
  }

  TEST_CASE("converts features of the caller, which stay") {
    const Matrix features = make_features();

    const auto converted =
        ConvertedFeatures<float>::convert(range_of(features), kNumFeatures);

    CHECK(Eigen::Map<const Eigen::MatrixXf>(converted->data(), kNumFeatures,
                                            kSize) == features.cast<float>());
    CHECK(features == make_features());
  }

  TEST_CASE("replaces features that a store owns") {
    const Matrix expected = make_features();
    Matrix features = expected;
    FeatureStore store(features);
    InstanceRange range = range_of(features);
    range.store = &store;

    const auto converted =
        ConvertedFeatures<float>::convert(range, kNumFeatures);

    CHECK(features.size() == 0);
    CHECK(store.rows() == nullptr);
    Matrix some(kNumFeatures, 100);
    store.read(12345, 100, some.data());
    CHECK(some == expected.middleCols(12345, 100));
  }
}

}  // namespace mlp::cpu
