// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../../datasets/feature_moments.hpp"
#include "../network/topology.hpp"

namespace mlp {

/// The scale in which a regressor is trained: (label - mean) / deviation.
///
/// The loss is then in units of the variance of the labels, so that the same penalty
/// and tolerance fit every table. The trained weights are converted back, so that
/// the model predicts labels.
struct LabelScale {
  double mean = 0.0;
  double deviation = 1.0;  ///< > 0

  /// Takes the mean and the standard deviation of labels; constant labels have the
  /// deviation 1.
  ///
  /// \param moments  of the labels as one feature
  /// \throws DataError if the labels are so large that their variance is not
  ///         finite
  [[nodiscard]] static LabelScale of(const datasets::FeatureMoments& moments) {
    LabelScale scale{moments.mean()[0], moments.standard_deviation()[0]};
    if (!std::isfinite(scale.mean) || !std::isfinite(scale.deviation)) {
      throw DataError(
          "labels must be below 1e154 to be standardised, because their "
          "squares "
          "are summed; divide them by a constant, or train without "
          "standardising");
    }
    if (scale.deviation == 0.0) scale.deviation = 1.0;
    return scale;
  }

  [[nodiscard]] Vector apply(const Vector& labels) const {
    return (labels.array() - mean) / deviation;
  }

  /// Converts weights that predict labels to weights that predict scaled labels.
  ///
  /// \param[in,out] weights  [topology.num_weights()]
  /// \pre the topology has one linear output
  void scale_output(const Topology& topology, Vector& weights) const {
    auto layer = output_layer(topology, weights);
    layer[layer.size() - 1] -= mean;
    layer /= deviation;
  }

  /// Does the opposite of scale_output().
  void restore_output(const Topology& topology, Vector& weights) const {
    auto layer = output_layer(topology, weights);
    layer *= deviation;
    layer[layer.size() - 1] += mean;
  }

  friend bool operator==(const LabelScale&, const LabelScale&) = default;

 private:
  /// Returns the weights and then the bias of the output.
  static Eigen::VectorBlock<Vector> output_layer(const Topology& topology,
                                                 Vector& weights) {
    return weights.tail(topology.input_size(topology.num_layers() - 1) + 1);
  }
};

}  // namespace mlp
