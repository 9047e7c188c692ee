// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/network/loss.hpp"

#include <doctest/doctest.h>

namespace mlp {

TEST_SUITE("mlp/network/loss") {
  TEST_CASE("is softmax with negative log likelihood unless told otherwise") {
    CHECK(LossFunction().kind == Loss::kSoftmaxNll);
    CHECK(LossFunction().label_smoothing == 0.0);
    CHECK(LossFunction(Loss::kSquaredError).kind == Loss::kSquaredError);
  }

  TEST_CASE("knows which losses Spark has") {
    CHECK(LossFunction().is_spark());
    CHECK(LossFunction(Loss::kSigmoidSquaredError).is_spark());
    CHECK_FALSE(LossFunction(Loss::kSquaredError).is_spark());
    CHECK_FALSE(LossFunction(Loss::kSoftmaxNll, 0.1).is_spark());
  }

  TEST_CASE("is equal where kind and smoothing are") {
    CHECK(LossFunction(Loss::kSoftmaxNll, 0.1) ==
          LossFunction(Loss::kSoftmaxNll, 0.1));
    CHECK(LossFunction(Loss::kSoftmaxNll, 0.1) != LossFunction());
    CHECK(LossFunction(Loss::kSquaredError) != LossFunction());
  }

  TEST_CASE("has the names of model files") {
    CHECK(loss_name(Loss::kSoftmaxNll) == "softmaxNll");
    CHECK(loss_name(Loss::kSigmoidSquaredError) == "sigmoidSquaredError");
    CHECK(loss_name(Loss::kSquaredError) == "squaredError");
  }

  TEST_CASE("has classes with softmax and targets else") {
    CHECK(has_classes(Loss::kSoftmaxNll));
    CHECK_FALSE(has_classes(Loss::kSigmoidSquaredError));
    CHECK_FALSE(has_classes(Loss::kSquaredError));
  }
}

}  // namespace mlp
