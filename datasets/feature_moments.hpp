// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "../core/error.hpp"
#include "../core/types.hpp"

namespace mlp::datasets {

/// The sums from which the mean and the variance of each feature are computed.
///
/// Zeros are not added to the sums of a feature, as in Spark. The sums of the
/// parts of a table can be merged.
struct FeatureMoments {
  double weight_sum = 0.0;  ///< of all instances
  Vector nonzero_weight;  ///< of the instances that are not 0   [num_features]
  Vector nonzero_mean;    ///< of these instances   [num_features]

  /// Sum of the weighted squared deviations of these instances   [num_features].
  Vector squares;

  FeatureMoments() = default;
  explicit FeatureMoments(Index num_features)
      : nonzero_weight(Vector::Zero(num_features)),
        nonzero_mean(Vector::Zero(num_features)),
        squares(Vector::Zero(num_features)) {}

  /// Adds up a table in one pass of running means, so that a large mean loses no
  /// precision and a constant feature has squares of exactly 0.
  ///
  /// \param features  [num_features x num_instances]
  /// \param weights   [num_instances], each >= 0; empty for 1 each
  /// \throws ShapeError for another number of weights
  /// \source West 1979, Updating mean and variance estimates; Spark
  ///         ml/stat/Summarizer.scala, SummarizerBuffer
  [[nodiscard]] static FeatureMoments of(ConstMatrixRef features,
                                         const Vector& weights = {}) {
    if (weights.size() != 0 && weights.size() != features.cols()) {
      throw ShapeError("weights must be " + std::to_string(features.cols()) +
                       ", one per instance; got " +
                       std::to_string(weights.size()));
    }
    FeatureMoments moments(features.rows());
    moments.add(features, weights.size() != 0 ? weights.data() : nullptr);
    return moments;
  }

  /// Adds instances, with the result of of() for all of them.
  ///
  /// \param features  [num_features x num_instances]
  /// \param weights   [num_instances], each >= 0; null for 1 each
  void add(ConstMatrixRef features, const double* weights) {
    for (Index instance = 0; instance < features.cols(); ++instance) {
      const double weight = weights ? weights[instance] : 1.0;
      if (weight == 0.0) continue;
      weight_sum += weight;
      for (Index i = 0; i < features.rows(); ++i) {
        add(i, features(i, instance), weight, weights != nullptr);
      }
    }
  }

  /// Adds the instances of another part of the table.
  ///
  /// \source Chan, Golub and LeVeque 1979
  void merge(const FeatureMoments& other) {
    weight_sum += other.weight_sum;
    for (Index i = 0; i < nonzero_weight.size(); ++i) {
      const double added = other.nonzero_weight[i];
      if (added == 0.0) continue;
      const double before = nonzero_weight[i];
      const double difference = other.nonzero_mean[i] - nonzero_mean[i];
      const double share = added / (before + added);
      nonzero_weight[i] += added;
      nonzero_mean[i] += difference * share;
      squares[i] += other.squares[i] + difference * difference * before * share;
    }
  }

  /// Returns the mean of each feature   [num_features].
  [[nodiscard]] Vector mean() const {
    return nonzero_mean.cwiseProduct(nonzero_weight / weight_sum);
  }

  /// Returns the sample standard deviation of each feature   [num_features].
  ///
  /// The divisor is the sum of the weights less 1, so that an instance of weight 2
  /// counts as two equal instances. If the sum is below 2, the divisor is half
  /// the sum, which is positive.
  [[nodiscard]] Vector standard_deviation() const {
    const double divisor = std::max(weight_sum - 1.0, weight_sum / 2.0);
    Vector deviation(squares.size());
    for (Index i = 0; i < squares.size(); ++i) {
      const double of_zeros = nonzero_mean[i] * nonzero_mean[i] *
                              nonzero_weight[i] *
                              (weight_sum - nonzero_weight[i]) / weight_sum;
      deviation[i] =
          std::sqrt(std::max((squares[i] + of_zeros) / divisor, 0.0));
    }
    return deviation;
  }

 private:
  void add(Index i, double value, double weight, bool is_weighted) {
    if (value == 0.0) return;
    const double difference = value - nonzero_mean[i];
    nonzero_weight[i] += weight;
    nonzero_mean[i] += is_weighted ? difference * (weight / nonzero_weight[i])
                                   : difference / nonzero_weight[i];
    squares[i] += weight * difference * (value - nonzero_mean[i]);
  }
};

}  // namespace mlp::datasets
