// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "../../core/names.hpp"

namespace mlp {

/// The output function of the network and the loss that training minimises.
enum class Loss {
  kSoftmaxNll,           ///< softmax, negative log likelihood: the classifier
  kSigmoidSquaredError,  ///< sigmoid, half the squared error: Spark's ANN tests
  kSquaredError,         ///< half the squared error of z itself: the regressor
};

/// How the negative log likelihood is computed from the outputs z.
enum class Likelihood {
  /// -log p from the probabilities p, as Spark does: NaN if a probability
  /// underflows. For Spark's networks with l-bfgs and gd, whose line search
  /// depends on it.
  kOfProbabilities,

  /// log(sum of exp(z - largest)) - (z - largest): finite for all finite z.
  kLogSumExp,
};

/// A loss and its label smoothing.
struct LossFunction {
  LossFunction(Loss of_kind = Loss::kSoftmaxNll, double smoothing = 0.0)
      : kind(of_kind), label_smoothing(smoothing) {}

  Loss kind;

  /// The share of the target that is spread evenly over all classes, in [0, 1].
  /// Used by kSoftmaxNll only.
  ///
  /// \source Szegedy et al. 2016, Rethinking the Inception Architecture, 7
  double label_smoothing;

  /// Returns true if Spark supports this loss.
  [[nodiscard]] bool is_spark() const {
    return kind != Loss::kSquaredError && label_smoothing == 0.0;
  }

  friend bool operator==(const LossFunction&, const LossFunction&) = default;
};

/// The names that model files use.
inline constexpr auto kLossNames = std::to_array<Named<Loss>>({
    {Loss::kSoftmaxNll, "softmaxNll"},
    {Loss::kSquaredError, "squaredError"},
    {Loss::kSigmoidSquaredError, "sigmoidSquaredError"},
});

/// Returns the name used in model files.
[[nodiscard]] constexpr std::string_view loss_name(Loss loss) {
  return name_in(kLossNames, loss);
}

/// Returns true if labels are class indices, false if they are target values.
[[nodiscard]] constexpr bool has_classes(Loss loss) {
  return loss == Loss::kSoftmaxNll;
}

}  // namespace mlp
