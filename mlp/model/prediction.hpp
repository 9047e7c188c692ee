// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"

/// Chooses a class from scores: argmax and thresholds.
namespace mlp {

namespace detail {

/// \throws ParamError if a regressor predicts several numbers
inline void require_one_number(Index num_outputs) {
  if (num_outputs == 1) return;
  throw ParamError("the model predicts " + std::to_string(num_outputs) +
                   " numbers for each instance; they are its raw predictions");
}

}  // namespace detail

/// Returns the position of the largest number, the first if several are equal.
///
/// NaN at position 0 is returned as the largest, because no number compares
/// greater. NaN at other positions is skipped.
///
/// \param scores  [num_classes]
/// \source Spark ml/linalg/Vectors.scala, DenseVector.argmax
[[nodiscard]] inline Index argmax(const ConstVectorRef& scores) {
  Index best = 0;
  for (Index i = 1; i < scores.size(); ++i) {
    if (scores[i] > scores[best]) best = i;
  }
  return best;
}

/// Returns the class with the largest quotient of probability and threshold.
///
/// If several are equal, the first one is returned. A class with threshold 0
/// wins if its probability is positive, and never wins if it is 0. If no
/// quotient is a number, the result is class 0.
///
/// \param probability  [num_classes]
/// \param thresholds   [num_classes]
/// \source Spark ml/classification/ProbabilisticClassifier.scala,
///         probability2prediction
[[nodiscard]] inline Index argmax_by_thresholds(
    const ConstVectorRef& probability, const std::vector<double>& thresholds) {
  Index best = 0;
  double largest = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < probability.size(); ++i) {
    const double quotient =
        probability[i] / thresholds[static_cast<std::size_t>(i)];
    if (quotient > largest) {
      largest = quotient;
      best = i;
    }
  }
  return best;
}

}  // namespace mlp
