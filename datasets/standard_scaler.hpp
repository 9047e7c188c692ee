// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "../core/error.hpp"
#include "../core/number_text.hpp"
#include "../core/types.hpp"
#include "dataset.hpp"

namespace mlp::datasets {

/// Standardises each feature to mean 0 and standard deviation 1.
///
/// The result is that of Spark's StandardScaler with withMean and withStd.
struct StandardScaler {
  /// [num_features]
  Vector mean;

  /// The sample standard deviation with divisor n - 1; 0 for constant features
  /// and if there is only one instance   [num_features].
  Vector standard_deviation;

  /// Computes the mean and standard deviation of each feature.
  ///
  /// One pass computes running means, so a large mean loses no precision and a
  /// constant feature has a standard deviation of exactly 0. As in Spark, zeros
  /// are added at the end.
  /// \param features  [num_features x num_instances]
  /// \throws ShapeError if there is no instance
  /// \source Welford 1962; Spark ml/stat/Summarizer.scala, SummarizerBuffer
  [[nodiscard]] static StandardScaler fit(ConstMatrixRef features) {
    if (features.cols() == 0) {
      throw ShapeError(
          "features must have at least one instance to be standardised, got 0");
    }
    Vector count = Vector::Zero(features.rows());
    Vector mean = Vector::Zero(features.rows());
    Vector squares = Vector::Zero(features.rows());
    for (Index instance = 0; instance < features.cols(); ++instance) {
      for (Index i = 0; i < features.rows(); ++i) {
        const double value = features(i, instance);
        if (value == 0.0) continue;
        const double difference = value - mean[i];
        count[i] += 1.0;
        mean[i] += difference / count[i];
        squares[i] += difference * (value - mean[i]);
      }
    }
    return with_zeros(static_cast<double>(features.cols()), count, mean,
                      squares);
  }

  /// Computes the mean and standard deviation of each feature of a dataset.
  ///
  /// \throws ShapeError if there is no instance; DataError naming an instance and
  ///         a feature whose values are so large that their variance is not
  ///         finite
  [[nodiscard]] static StandardScaler fit(const Dataset& data) {
    StandardScaler scaler = fit(data.features);
    for (Index i = 0; i < data.num_features(); ++i) {
      if (!std::isfinite(scaler.mean[i]) ||
          !std::isfinite(scaler.standard_deviation[i])) {
        refuse_largest(data, i);
      }
    }
    return scaler;
  }

  /// Returns the factor of each feature after its mean is subtracted; 0 for
  /// constant features   [num_features].
  [[nodiscard]] Vector factors() const {
    return standard_deviation.unaryExpr(
        [](double deviation) { return deviation == 0 ? 0.0 : 1 / deviation; });
  }

  /// Standardises features in place; constant features become 0.
  ///
  /// \param[in,out] features  [num_features x num_instances]
  /// \throws ShapeError if the number of features differs
  void apply(Eigen::Ref<Matrix> features) const {
    if (features.rows() != mean.size()) {
      throw ShapeError("features must have " + std::to_string(mean.size()) +
                       " rows as the scaler has, got " +
                       std::to_string(features.rows()));
    }
    const Vector factor = factors();
    for (Index i = 0; i < features.cols(); ++i) {
      features.col(i) = (features.col(i) - mean).cwiseProduct(factor);
    }
  }

 private:
  /// Refuses a feature whose variance overflows.
  [[noreturn]] static void refuse_largest(const Dataset& data, Index feature) {
    Index largest = 0;
    data.features.row(feature).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(
        &largest);
    const auto at = static_cast<std::size_t>(feature);
    std::string name = std::to_string(feature);
    if (at < data.feature_names.size()) {
      name += " ('" + data.feature_names[at] + "')";
    }
    FilePosition position;
    if (static_cast<std::size_t>(largest) < data.lines.size()) {
      position.line = static_cast<std::size_t>(
          data.lines[static_cast<std::size_t>(largest)]);
    }
    throw DataError(
        data.source, position,
        "features must be below 1e154 to be standardised, because their "
        "squares "
        "are summed; feature " +
            name + " of instance " + std::to_string(largest) + " is " +
            format_double(data.features(feature, largest)) +
            "; correct or scale it, or train without standardising");
  }

  /// \param count         number of nonzero values   [num_features]
  /// \param nonzero_mean  mean of the nonzero values   [num_features]
  /// \param squares       sum of their squared deviations   [num_features]
  static StandardScaler with_zeros(double num_instances, const Vector& count,
                                   const Vector& nonzero_mean,
                                   const Vector& squares) {
    StandardScaler scaler{nonzero_mean, Vector::Zero(nonzero_mean.size())};
    for (Index i = 0; i < count.size(); ++i) {
      scaler.mean[i] = nonzero_mean[i] * (count[i] / num_instances);
      if (num_instances < 2) continue;
      const double sum =
          squares[i] + nonzero_mean[i] * nonzero_mean[i] * count[i] *
                           (num_instances - count[i]) / num_instances;
      scaler.standard_deviation[i] =
          std::sqrt(std::max(sum / (num_instances - 1), 0.0));
    }
    return scaler;
  }
};

}  // namespace mlp::datasets
