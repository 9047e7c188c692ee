// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../../datasets/feature_moments.hpp"
#include "../network/topology.hpp"

namespace mlp {

/// The scale in which a regressor is trained: (label - mean) / deviation, for each
/// of the numbers that it predicts.
///
/// The loss is then in units of the variance of the labels, so that the same penalty
/// and tolerance fit every table. The trained weights are converted back, so that
/// the model predicts labels.
struct LabelScale {
  Vector mean;       ///< [num_outputs]
  Vector deviation;  ///< > 0   [num_outputs]

  /// Takes the mean and the standard deviation of labels; constant labels have the
  /// deviation 1.
  ///
  /// \param moments  of the labels as features
  /// \throws DataError if the labels are so large that their variance is not
  ///         finite
  [[nodiscard]] static LabelScale of(const datasets::FeatureMoments& moments) {
    LabelScale scale{moments.mean(), moments.standard_deviation()};
    if (!scale.mean.allFinite() || !scale.deviation.allFinite()) {
      throw DataError(
          "labels must be below 1e154 to be standardised, because their "
          "squares "
          "are summed; divide them by a constant, or train without "
          "standardising");
    }
    scale.deviation =
        (scale.deviation.array() == 0.0).select(1.0, scale.deviation);
    return scale;
  }

  /// \param labels  [num_outputs x num_instances]
  [[nodiscard]] Matrix apply(const ConstMatrixRef& labels) const {
    return (labels.colwise() - mean).array().colwise() / deviation.array();
  }

  /// Converts weights that predict labels to weights that predict scaled labels.
  ///
  /// \param[in,out] weights  [topology.num_weights()]
  /// \pre the topology has num_outputs linear outputs
  void scale_output(const Topology& topology, Vector& weights) const {
    auto layer = output_layer(topology, weights);
    layer.rightCols(1) -= mean;
    layer.array().colwise() /= deviation.array();
  }

  /// Does the opposite of scale_output().
  void restore_output(const Topology& topology, Vector& weights) const {
    auto layer = output_layer(topology, weights);
    layer.array().colwise() *= deviation.array();
    layer.rightCols(1) += mean;
  }

  friend bool operator==(const LabelScale&, const LabelScale&) = default;

 private:
  /// Returns the weights and then the biases of the last layer
  /// [num_outputs x inputs + 1].
  static Eigen::Map<Matrix> output_layer(const Topology& topology,
                                         Vector& weights) {
    const Index last = topology.num_layers() - 1;
    return {weights.data() + topology.weight_offset(last),
            topology.output_size(last), topology.input_size(last) + 1};
  }
};

}  // namespace mlp
