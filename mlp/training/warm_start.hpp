// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../instances/instance_range.hpp"
#include "../model/model.hpp"
#include "../network/batch_norm.hpp"
#include "../network/initial_weights.hpp"
#include "../network/layer_views.hpp"
#include "../network/topology.hpp"
#include "../params/params.hpp"
#include "rank_instances.hpp"

namespace mlp {

/// The weights and statistics at which a training starts.
struct StartWeights {
  Vector weights;     ///< [num_weights]
  Vector statistics;  ///< [num_statistics]

  /// True if the last layer is not random.
  bool has_given_output = false;
};

/// Counts the first layers that have equal parts and shapes in two networks.
[[nodiscard]] inline Index count_shared_layers(const Topology& a,
                                               const Topology& b) {
  Index k = 0;
  while (k < a.num_layers() && k < b.num_layers() &&
         a.input_size(k) == b.input_size(k) &&
         a.output_size(k) == b.output_size(k) &&
         a.has_projection(k) == b.has_projection(k) &&
         a.has_batch_norm(k) == b.has_batch_norm(k)) {
    ++k;
  }
  return k;
}

/// Returns the weights at which training starts.
///
/// They are params.initial_weights if given, else random. If there is a model,
/// its weights and statistics replace those of the first layers that have equal
/// parts and shapes.
///
/// \param topology  the network that params describe
/// \param model     may be null
/// \throws ParamError if the model has no such layer, or if initial weights are
///         given as well
[[nodiscard]] inline StartWeights start_weights(const Topology& topology,
                                                const Params& params,
                                                const Model* model) {
  StartWeights start;
  start.statistics = BatchNorm::initial_statistics(topology);
  start.weights = params.initial_weights
                      ? *params.initial_weights
                      : draw_initial_weights(topology, params.seed,
                                             params.seed_hash, params.init);
  start.has_given_output = params.initial_weights.has_value();
  if (model == nullptr) return start;
  if (params.initial_weights) {
    throw ParamError(
        "initialWeights",
        "must be empty if training starts from a model; use only one of them");
  }
  const Index num_shared = count_shared_layers(topology, model->topology());
  if (num_shared == 0) {
    throw ParamError(
        "layers",
        "must begin with the layers of the model that training starts from, " +
            format_list(model->layers()) + "; got " +
            format_list(params.layers));
  }
  start.has_given_output = num_shared == topology.num_layers();
  const Index num_weights = topology.layer_end(num_shared - 1);
  start.weights.head(num_weights) = model->weights().head(num_weights);
  Index num_statistics = 0;
  for (Index k = 0; k < num_shared; ++k) {
    if (topology.has_batch_norm(k))
      num_statistics += 2 * topology.output_size(k);
  }
  start.statistics.head(num_statistics) =
      model->statistics().head(num_statistics);
  return start;
}

/// Computes the mean of each target over a range, by the weights of its instances.
///
/// \param range  with targets   [num_outputs x size]
/// \return [num_outputs]; not finite if the sum of the weights is 0, or if the sum
///         of the targets overflows
[[nodiscard]] inline Vector mean_targets(const InstanceRange& range,
                                         Index num_outputs) {
  Vector sums = Vector::Zero(num_outputs);
  double weight_sum = 0.0;
  for (Index i = 0; i < range.size; ++i) {
    const Eigen::Map<const Vector> targets(range.targets + i * num_outputs,
                                           num_outputs);
    sums += range.weight(i) * targets;
    weight_sum += range.weight(i);
  }
  return sums / weight_sum;
}

/// Starts the biases of linear outputs at the mean of their targets over the
/// instances of all ranks, by their weights: the rest of the network then learns
/// what differs from the mean, however far that is from 0. Does nothing if the
/// outputs are classes, given or frozen, or if a mean is not finite.
///
/// \param         instances  with unscaled targets
/// \param[in,out] start      start_weights()
inline void start_at_mean(const Topology& topology, const Params& params,
                          const RankInstances& instances, StartWeights& start) {
  const Index last = topology.num_layers() - 1;
  const auto is_last = [&](Index layer) { return layer == last + 1; };
  if (topology.loss() != Loss::kSquaredError || start.has_given_output ||
      std::any_of(params.freeze.begin(), params.freeze.end(), is_last)) {
    return;
  }
  const Index num_outputs = topology.num_classes();
  const auto means_of = [&](const InstanceRange& range) {
    return mean_targets(range, num_outputs);
  };
  const Vector means = instances.means(num_outputs, means_of, topology);
  if (!means.allFinite()) return;
  view_layer(topology, last, start.weights.data()).biases = means;
}

}  // namespace mlp
