// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/stored/feature_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "../../scratch_folder.hpp"

namespace mlp::datasets {

namespace {

Matrix write_and_read(const Matrix& features, StoredNumber number) {
  const test::ScratchFolder folder;
  FeatureFile file(folder.path(), features.rows(), number);
  const Index half = features.cols() / 2;
  file.append(features.data(), half);
  file.append(features.col(half).data(), features.cols() - half);
  CHECK(file.num_instances() == features.cols());
  CHECK(file.num_bytes() ==
        static_cast<std::uint64_t>(features.size()) * bytes_of(number));
  Matrix read = Matrix::Zero(features.rows(), features.cols());
  const Index part = std::min<Index>(3, features.cols());
  file.read(0, part, read.data());
  file.read(part, features.cols() - part, read.data() + part * features.rows());
  return read;
}

}  // namespace

TEST_SUITE("datasets/stored/feature_file") {
  TEST_CASE("has the bits of float64") {
    Matrix features = Matrix::Random(7, 100);
    features(0, 0) = -0.0;

    const Matrix read = write_and_read(features, StoredNumber::kFloat64);

    CHECK(read == features);
    CHECK(std::signbit(read(0, 0)));
  }

  TEST_CASE("rounds to float32") {
    const Matrix features = Matrix::Random(5, 33);

    CHECK(write_and_read(features, StoredNumber::kFloat32) ==
          features.cast<float>().cast<double>());
  }

  TEST_CASE("has integers from 0 to 255 as bytes") {
    Matrix features(2, 128);
    for (Index i = 0; i < 256; ++i) {
      features.data()[i] = static_cast<double>(i);
    }

    CHECK(write_and_read(features, StoredNumber::kByte) == features);
  }

  TEST_CASE("has more instances than are written at once") {
    const Matrix features = Matrix::Random(1, 1 << 18);

    CHECK(write_and_read(features, StoredNumber::kFloat64) == features);
    CHECK(write_and_read(features, StoredNumber::kFloat32) ==
          features.cast<float>().cast<double>());
  }
}

}  // namespace mlp::datasets
