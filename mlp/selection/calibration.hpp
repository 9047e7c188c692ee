// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "../../core/types.hpp"

namespace mlp {

/// Measures how far predicted probabilities are from what happens: the mean of
/// |accuracy - mean probability of the predicted class| over 15 bins of equal width,
/// by their numbers of rows.
///
/// \param probability  [num_classes x num_instances], at least one instance
/// \param labels       class indices   [num_instances]
/// \param weights      [num_instances], with a sum > 0; empty for 1 each
/// \return in [0, 1]; 0 is perfect. With few rows it is above 0 by chance.
/// \source Naeini et al. 2015, Obtaining Well Calibrated Probabilities Using Bayesian
///         Binning; Guo et al. 2017, section 2
[[nodiscard]] inline double expected_calibration_error(
    const ConstMatrixRef& probability, const ConstVectorRef& labels,
    const Vector& weights = {}) {
  constexpr std::size_t kNumBins = 15;
  std::array<double, kNumBins>
      excess{};  // right predictions less probabilities
  for (Index i = 0; i < probability.cols(); ++i) {
    Index predicted = 0;
    const double p = probability.col(i).maxCoeff(&predicted);
    const auto bin = static_cast<std::size_t>(
        std::clamp(std::ceil(p * kNumBins) - 1.0, 0.0, kNumBins - 1.0));
    const double right =
        static_cast<double>(predicted) == labels[i] ? 1.0 : 0.0;
    excess[bin] += (weights.size() == 0 ? 1.0 : weights[i]) * (right - p);
  }
  double sum = 0.0;
  for (const double difference : excess) sum += std::abs(difference);
  return sum / (weights.size() == 0 ? static_cast<double>(probability.cols())
                                    : weights.sum());
}

}  // namespace mlp
