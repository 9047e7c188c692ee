// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "../../core/types.hpp"
#include "layer_views.hpp"
#include "topology.hpp"

namespace mlp {

/// Batch normalisation: (z - mean) / deviation * scale + shift for each unit.
///
/// In training, mean and variance are computed over the mini-batch; the
/// variance is divided by the size of the mini-batch. The running statistics
/// move towards them; the running variance uses size - 1 as its divisor. In
/// scoring, the running statistics are used.
///
/// \source Ioffe and Szegedy 2015, Batch Normalization, algorithms 1 and 2
struct BatchNorm {
  /// Added to the variance before the square root.
  static constexpr double kEpsilon = 1e-5;

  /// The share by which each mini-batch moves the running statistics.
  static constexpr double kMomentum = 0.1;

  /// Returns the statistics before training: means 0, variances 1.
  ///
  /// \return [topology.num_statistics()]
  [[nodiscard]] static Vector initial_statistics(const Topology& topology) {
    Vector statistics = Vector::Zero(topology.num_statistics());
    for (Index k = 0; k < topology.num_layers(); ++k) {
      if (!topology.has_batch_norm(k)) continue;
      const Index size = topology.output_size(k);
      statistics.segment(topology.statistic_offset(k) + size, size).setOnes();
    }
    return statistics;
  }
};

/// A network in the form used for scoring, and its weights.
struct ScoringNetwork {
  Topology topology;
  Vector weights;  ///< [topology.num_weights()]
};

/// Returns an equal network for scoring, without batch normalisation or
/// dropout.
///
/// Batch normalisation becomes part of the affine layer before it. With r =
/// scale / sqrt(variance + epsilon), W becomes diag(r) W and the biases become
/// (b - mean) r + shift.
///
/// \param weights     [topology.num_weights()]
/// \param statistics  [topology.num_statistics()]
[[nodiscard]] inline ScoringNetwork fold_for_scoring(const Topology& topology,
                                                     const Vector& weights,
                                                     const Vector& statistics) {
  if (!topology.has_training_mode()) return {topology, weights};
  std::vector<HiddenLayer> hidden = topology.hidden_layers();
  for (HiddenLayer& layer : hidden) {
    layer.has_batch_norm = false;
    layer.dropout = 0.0;
  }
  ScoringNetwork folded{
      Topology(topology.layers(), topology.loss_function(), std::move(hidden)),
      Vector()};
  folded.weights.resize(folded.topology.num_weights());
  for (Index k = 0; k < topology.num_layers(); ++k) {
    const Index size =
        folded.topology.layer_end(k) - folded.topology.weight_offset(k);
    folded.weights.segment(folded.topology.weight_offset(k), size) =
        weights.segment(topology.weight_offset(k), size);
    if (!topology.has_batch_norm(k)) continue;
    const Index units = topology.output_size(k);
    const auto mean = statistics.segment(topology.statistic_offset(k), units);
    const auto variance =
        statistics.segment(topology.statistic_offset(k) + units, units);
    const Vector ratio =
        weights.segment(topology.scale_offset(k), units).array() /
        (variance.array() + BatchNorm::kEpsilon).sqrt();
    LayerView layer = view_layer(folded.topology, k, folded.weights.data());
    layer.weights.array().colwise() *= ratio.array();
    layer.biases = (layer.biases - mean).cwiseProduct(ratio) +
                   weights.segment(topology.shift_offset(k), units);
  }
  return folded;
}

}  // namespace mlp
