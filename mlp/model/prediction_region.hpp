// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "../../core/types.hpp"

/// Prediction intervals of a regressor and prediction sets of a classifier: what the
/// label of an instance probably is.
namespace mlp {

/// The numbers between which a label probably is, for each number that a regressor
/// predicts: from the prediction plus lower to the prediction plus upper.
struct PredictionInterval {
  double coverage =
      0.0;       ///< the share of labels asked for, above 0 and below 1
  Vector lower;  ///< in units of the labels   [num_outputs]
  Vector upper;  ///< >= lower   [num_outputs]
};

/// The classes that the label probably is among: those of at least a probability, and
/// always the most probable one.
struct PredictionSet {
  double coverage = 0.0;           ///< the share of labels asked for, as above
  double least_probability = 0.0;  ///< from 0 to 1

  /// Returns the probability that a class of the set of an instance has at least.
  ///
  /// \param probability  [num_classes]
  [[nodiscard]] double least(const ConstVectorRef& probability) const {
    return std::min(least_probability, probability.maxCoeff());
  }

  /// Returns the classes of the set of an instance, the most probable one first.
  ///
  /// \param probability  [num_classes]
  [[nodiscard]] std::vector<Index> classes(
      const ConstVectorRef& probability) const {
    const double limit = least(probability);
    std::vector<Index> found;
    for (Index k = 0; k < probability.size(); ++k) {
      if (probability[k] >= limit) found.push_back(k);
    }
    std::stable_sort(found.begin(), found.end(), [&](Index a, Index b) {
      return probability[a] > probability[b];
    });
    return found;
  }
};

}  // namespace mlp
