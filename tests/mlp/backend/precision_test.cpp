// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/backend/precision.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "../../../cpu/cpu_backend.hpp"
#include "../../../datasets/binary/gzip.hpp"
#include "../../../datasets/load/load.hpp"
#include "../../../datasets/random_split.hpp"
#include "../../../mlp/classifier.hpp"

namespace mlp {

namespace {

/// What a user may lose to single precision.
constexpr double kTwoTenthsOfAPoint = 0.002;

/// MNIST's 10,000 test images: four parts to train on, one to test.
std::vector<datasets::Dataset> split_mnist() {
  datasets::LoadOptions options;
  options.labels_file = MLP_DATA_DIR "/t10k-labels-idx1-ubyte.gz";
  options.scale = 255.0;
  const datasets::LoadedData loaded =
      datasets::load(MLP_DATA_DIR "/t10k-images-idx3-ubyte.gz", options);
  constexpr std::array<double, 2> kParts = {4.0, 1.0};
  return datasets::random_split(loaded.dataset, kParts, 7);
}

double accuracy_after_training(const std::vector<datasets::Dataset>& parts,
                               Precision precision) {
  Params params;
  params.layers = {784, 24, 10};
  params.max_iter = 25;
  params.seed = 7;
  FitOptions options;
  options.backend = &cpu::backend();
  options.precision = precision;
  const FitResult result = Classifier(params).fit(parts[0], options);
  return evaluate(result.model, parts[1], cpu::backend()).accuracy();
}

}  // namespace

TEST_SUITE("mlp/backend/precision") {
  TEST_CASE("is called as numpy calls it") {
    CHECK(std::string(precision_name(Precision::kFloat64)) == "float64");
    CHECK(std::string(precision_name(Precision::kFloat32)) == "float32");
    CHECK(std::string(precision_name(Precision::kTensorFloat32)) == "tf32");
    CHECK(std::string(precision_name(Precision::kBfloat16)) == "bf16");
  }

  TEST_CASE("costs next to no accuracy on MNIST") {
    const std::vector<datasets::Dataset> parts = split_mnist();

    const double in_double =
        accuracy_after_training(parts, Precision::kFloat64);
    const double in_single =
        accuracy_after_training(parts, Precision::kFloat32);

    CHECK(in_double > 0.85);
    CHECK(std::abs(in_single - in_double) <= kTwoTenthsOfAPoint);
  }
}

}  // namespace mlp
