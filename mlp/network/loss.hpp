// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mlp {

/// What stands on the last affine layer and is minimised.
enum class Loss {
  kSoftmaxNll,           ///< softmax, negative log likelihood: the classifier
  kSigmoidSquaredError,  ///< sigmoid, half the squared error: Spark's ANN tests
  kSquaredError,         ///< half the squared error of z itself: the regressor
};

/// A loss with its setting.
struct LossFunction {
  LossFunction(Loss of_kind = Loss::kSoftmaxNll, double smoothing = 0.0)
      : kind(of_kind), label_smoothing(smoothing) {}

  Loss kind;

  /// Of kSoftmaxNll: the share of the target that is spread evenly over all
  /// classes, in [0, 1].
  ///
  /// \source Szegedy et al. 2016, Rethinking the Inception Architecture, 7
  double label_smoothing;

  /// Whether Spark has it.
  [[nodiscard]] bool is_spark() const {
    return kind != Loss::kSquaredError && label_smoothing == 0.0;
  }

  friend bool operator==(const LossFunction&, const LossFunction&) = default;
};

/// The name that model files use.
[[nodiscard]] constexpr std::string_view loss_name(Loss loss) {
  switch (loss) {
    case Loss::kSigmoidSquaredError:
      return "sigmoidSquaredError";
    case Loss::kSquaredError:
      return "squaredError";
    default:
      return "softmaxNll";
  }
}

/// Whether instances have a class, and not a target for each output.
[[nodiscard]] constexpr bool has_classes(Loss loss) {
  return loss == Loss::kSoftmaxNll;
}

}  // namespace mlp
