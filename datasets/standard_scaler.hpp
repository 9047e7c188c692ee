// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../core/error.hpp"
#include "../core/number_text.hpp"
#include "../core/types.hpp"
#include "dataset.hpp"
#include "feature_moments.hpp"

namespace mlp::datasets {

/// Adds up the features of a dataset, by the weights of its instances.
///
/// \throws ShapeError for another number of weights; ResourceError if the file of the
///         features cannot be read
[[nodiscard]] inline FeatureMoments moments_of(const Dataset& data) {
  if (!data.stored)
    return FeatureMoments::of(data.feature_matrix(), data.weights);
  FeatureMoments moments(data.num_features());
  data.visit_features([&](Index first, const auto& features) {
    moments.add(features, data.weights.size() == 0
                              ? nullptr
                              : data.weights.data() + first);
  });
  return moments;
}

/// Divides the first features of a dataset by a number.
inline void divide_features(Dataset& data, Index num_divided, double divisor) {
  data.compute_features(
      {data.num_features(), [=](const Matrix& from, Eigen::Ref<Matrix> to) {
         to = from;
         to.topRows(num_divided) /= divisor;
       }});
}

/// Standardises each feature to mean 0 and standard deviation 1.
///
/// The result is that of Spark's StandardScaler with withMean and withStd.
struct StandardScaler {
  /// [num_features]
  Vector mean;

  /// The sample standard deviation with divisor n - 1, where n is the sum of the
  /// weights; 0 for constant features and if there is only one instance
  /// [num_features].
  Vector standard_deviation;

  /// Makes the scaler of a table from its sums.
  ///
  /// \throws ShapeError if the sum of the weights is 0
  [[nodiscard]] static StandardScaler of(const FeatureMoments& moments) {
    if (moments.weight_sum == 0.0) {
      throw ShapeError(
          "features must have at least one instance with a weight > 0 to be "
          "standardised; got none");
    }
    return {moments.mean(), moments.standard_deviation()};
  }

  /// Computes the mean and standard deviation of each feature.
  ///
  /// \param features  [num_features x num_instances]
  /// \param weights   [num_instances], each >= 0; empty for 1 each. An instance
  ///                  of weight 2 counts as two equal instances.
  /// \throws ShapeError if there is no instance
  [[nodiscard]] static StandardScaler fit(ConstMatrixRef features,
                                          const Vector& weights = {}) {
    return of(FeatureMoments::of(features, weights));
  }

  /// Computes the mean and standard deviation of each feature of a dataset, by the
  /// weights of its instances.
  ///
  /// \throws ShapeError if there is no instance; DataError naming an instance and
  ///         a feature whose values are so large that their variance is not
  ///         finite
  [[nodiscard]] static StandardScaler fit(const Dataset& data) {
    StandardScaler scaler = of(moments_of(data));
    scaler.require_finite(data);
    return scaler;
  }

  /// Leaves features as they are.
  ///
  /// \param are_kept  true for these   [num_features], or empty for none
  void keep(const std::vector<bool>& are_kept) {
    for (std::size_t i = 0; i < are_kept.size(); ++i) {
      if (!are_kept[i]) continue;
      mean[static_cast<Index>(i)] = 0.0;
      standard_deviation[static_cast<Index>(i)] = 1.0;
    }
  }

  /// Refuses a scaler of data whose values are so large that their variance is
  /// not finite.
  ///
  /// \param data  the data that this scaler was fitted to, or a part of it
  /// \throws DataError naming an instance and a feature
  void require_finite(const Dataset& data) const {
    for (Index i = 0; i < data.num_features(); ++i) {
      if (!std::isfinite(mean[i]) || !std::isfinite(standard_deviation[i])) {
        refuse_largest(data, i);
      }
    }
  }

  /// Returns the factor of each feature after its mean is subtracted; 0 for
  /// constant features   [num_features].
  [[nodiscard]] Vector factors() const {
    return standard_deviation.unaryExpr(
        [](double deviation) { return deviation == 0 ? 0.0 : 1 / deviation; });
  }

  /// Standardises the first features of a dataset.
  ///
  /// \param num_scaled  how many features; the others stay as they are
  /// \throws ShapeError if num_scaled is not the scaler's number of features
  void apply(Dataset& data, Index num_scaled) const {
    check_width(num_scaled);
    data.compute_features(
        {data.num_features(),
         [scaler = *this](const Matrix& from, Eigen::Ref<Matrix> to) {
           to = from;
           scaler.apply(to.topRows(scaler.mean.size()));
         }});
  }

  /// Standardises features in place; constant features become 0.
  ///
  /// \param[in,out] features  [num_features x num_instances]
  /// \throws ShapeError if the number of features differs
  void apply(Eigen::Ref<Matrix> features) const {
    check_width(features.rows());
    const Vector factor = factors();
    for (Index i = 0; i < features.cols(); ++i) {
      features.col(i) = (features.col(i) - mean).cwiseProduct(factor);
    }
  }

 private:
  void check_width(Index width) const {
    if (width == mean.size()) return;
    throw ShapeError("features must have " + std::to_string(mean.size()) +
                     " rows as the scaler has, got " + std::to_string(width));
  }

  /// Returns the instance with the largest value of a feature, or with NaN, and the
  /// value.
  static std::pair<Index, double> find_largest(const Dataset& data,
                                               Index feature) {
    std::pair<Index, double> largest{0, 0.0};
    data.visit_features([&](Index first, const auto& features) {
      if (features.cols() == 0 || std::isnan(largest.second)) return;
      Index at = 0;
      const double size = features.row(feature)
                              .cwiseAbs()
                              .template maxCoeff<Eigen::PropagateNaN>(&at);
      if (size <= std::abs(largest.second)) return;
      largest = {first + at, features(feature, at)};
    });
    return largest;
  }

  /// Refuses weights whose products with small features overflow.
  static void require_small_weights(const Dataset& data, Index feature) {
    constexpr double kMaxValue = 1e154;
    if (data.weights.size() == 0) return;
    const double largest = std::abs(find_largest(data, feature).second);
    if (!(largest < kMaxValue)) return;
    throw DataError(
        data.source,
        "the weights are too large to standardise the features, because their "
        "products with squares of features are summed; the largest weight is " +
            format_double(data.weights.maxCoeff()) +
            "; divide the weights by a constant, or train without "
            "standardising");
  }

  /// Refuses a feature whose variance overflows.
  [[noreturn]] static void refuse_largest(const Dataset& data, Index feature) {
    require_small_weights(data, feature);
    const auto [largest, value] = find_largest(data, feature);
    const auto at = static_cast<std::size_t>(feature);
    std::string name = std::to_string(feature);
    if (at < data.feature_names.size()) {
      name += " ('" + data.feature_names[at] + "')";
    }
    const InstancePlace place = data.place_of(largest);
    throw DataError(
        place.file, place.position,
        "features must be below 1e154 to be standardised, because their "
        "squares "
        "are summed; feature " +
            name + " of instance " + std::to_string(largest) + " is " +
            format_double(value) +
            "; correct or scale it, or train without standardising");
  }
};

}  // namespace mlp::datasets
