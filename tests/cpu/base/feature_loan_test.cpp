// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cpu/base/feature_loan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

#include "../../../core/types.hpp"

namespace mlp::cpu {

namespace {

constexpr std::size_t kNumFeatures = 100;
constexpr std::size_t kSize = 12000;  // 9.6 MB
constexpr double kRounded = 0.1;      // not a number of float

InstanceRange lend(Matrix& features) {
  InstanceRange range;
  range.size = features.cols();
  range.features = features.data();
  range.lent_features = features.data();
  return range;
}

Matrix make_features() {
  return Matrix::Constant(static_cast<Index>(kNumFeatures),
                          static_cast<Index>(kSize), 0.5);
}

}  // namespace

TEST_SUITE("cpu/base/feature_loan") {
  TEST_CASE("releases what was copied, and keeps the rest") {
    Matrix features = make_features();
    FeatureLoan loan(lend(features), kNumFeatures);

    loan.release_first<double>(kSize / 2);

    const std::size_t released = loan.num_released();
    CHECK(released > kSize / 4);
    CHECK(released <= kSize / 2);
    CHECK(features(0, kSize / 4 - 1) == 0.0);
    CHECK((features.rightCols(kSize - static_cast<Index>(released)).array() ==
           0.5)
              .all());
    CHECK(loan.features(3) == features.col(3).data());
  }

  TEST_CASE("keeps all from the first number on that the copy rounds") {
    Matrix features = make_features();
    features(7, kSize / 2) = kRounded;
    FeatureLoan loan(lend(features), kNumFeatures);

    for (std::size_t count = 0; count <= kSize; count += 60) {
      loan.release_first<float>(count);
    }

    CHECK(loan.num_released() > 0);
    CHECK(loan.num_released() <= kSize / 2);
    CHECK(features(7, kSize / 2) == kRounded);
    CHECK((features.rightCols(kSize / 2 - 1).array() == 0.5).all());
  }

  TEST_CASE("releases numbers that the copy rounds, if they may be rounded") {
    Matrix features = make_features();
    features.array() *= kRounded;
    InstanceRange range = lend(features);
    range.may_round_lent_features = true;
    FeatureLoan loan(range, kNumFeatures);

    loan.release_first<float>(kSize);

    CHECK(loan.num_released() > kSize / 2);
  }

  TEST_CASE("releases nothing that is not lent") {
    const Matrix features = make_features();
    InstanceRange range;
    range.size = features.cols();
    range.features = features.data();
    FeatureLoan loan(range, kNumFeatures);

    loan.release_first<double>(kSize);
    FeatureLoan().release_first<double>(0);

    CHECK(loan.num_released() == 0);
    CHECK((features.array() == 0.5).all());
  }

  TEST_CASE("knows which numbers float keeps") {
    const double kept[] = {0.0, -0.0, 255.0, 0.25, -0x1p100};
    const double rounded[] = {0.0, 1.0, kRounded};
    const double large[] = {1e39};

    CHECK(keeps_numbers<float>(kept, 5));
    CHECK_FALSE(keeps_numbers<float>(rounded, 3));
    CHECK_FALSE(keeps_numbers<float>(large, 1));
    CHECK(keeps_numbers<double>(large, 1));
  }
}

}  // namespace mlp::cpu
