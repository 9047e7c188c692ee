// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../model/model.hpp"
#include "../network/batch_norm.hpp"
#include "../network/layer_views.hpp"
#include "../network/topology.hpp"

namespace mlp {

namespace detail {

/// Refuses a model that cannot stand beside the first one.
///
/// \throws ParamError
inline void check_mergeable(const Model& first, const Model& other) {
  const Topology& a = first.topology();
  const Topology& b = other.topology();
  const bool has_equal_ends = a.num_layers() == b.num_layers() &&
                              a.num_features() >= b.num_features() &&
                              a.num_classes() == b.num_classes();
  if (!has_equal_ends || a.loss() != b.loss()) {
    throw ParamError(
        "models",
        "that are merged must have no more features than the first one, and as "
        "many hidden layers and outputs, and the same loss; got layers " +
            format_list(a.layers()) + " and " + format_list(b.layers()));
  }
  for (Index k = 0; k + 1 < a.num_layers(); ++k) {
    if (a.is_residual(k) || b.is_residual(k) ||
        !(a.hidden(k).activation == b.hidden(k).activation)) {
      throw ParamError("models",
                       "that are merged must have the same activations and no "
                       "residual connections; got others in hidden layer " +
                           std::to_string(k + 1));
    }
  }
  if (first.scaler().has_value() != other.scaler().has_value() ||
      (first.scaler() && (first.scaler()->mean != other.scaler()->mean ||
                          first.scaler()->standard_deviation !=
                              other.scaler()->standard_deviation))) {
    throw ParamError(
        "models",
        "that are merged must scale the features alike; got different "
        "scalers");
  }
}

/// Returns the topology of networks side by side.
inline Topology merged_topology(const std::vector<ScoringNetwork>& networks) {
  const Topology& first = networks.front().topology;
  std::vector<Index> layers = first.layers();
  for (std::size_t m = 1; m < networks.size(); ++m) {
    for (std::size_t k = 1; k + 1 < layers.size(); ++k) {
      layers[k] += networks[m].topology.layers()[k];
    }
  }
  return Topology(std::move(layers), first.loss_function(),
                  first.hidden_layers());
}

/// Copies the weights of each network to its place in the joint one.
inline Vector merged_weights(const Topology& topology,
                             const std::vector<ScoringNetwork>& networks) {
  Vector weights = Vector::Zero(topology.num_weights());
  const auto share = 1.0 / static_cast<double>(networks.size());
  for (Index k = 0; k < topology.num_layers(); ++k) {
    LayerView to = view_layer(topology, k, weights.data());
    const bool is_last = !topology.is_hidden(k);
    Index row = 0;
    Index column = 0;
    for (const ScoringNetwork& network : networks) {
      const auto from = view_layer(network.topology, k, network.weights.data());
      const Index rows = from.weights.rows();
      const Index columns = from.weights.cols();
      to.weights.block(row, column, rows, columns) +=
          is_last ? Matrix(share * from.weights) : Matrix(from.weights);
      to.biases.segment(row, rows) +=
          is_last ? Vector(share * from.biases) : Vector(from.biases);
      if (!is_last) row += rows;
      if (k > 0) column += columns;
    }
  }
  return weights;
}

}  // namespace detail

/// Joins models into one whose raw predictions are the mean of theirs.
///
/// Hidden layers stand side by side, and the weights of the output layer are divided
/// by the number of models: five times [13, 48, 3] is [13, 240, 3]. From the second
/// hidden layer on, weights between units of different models are 0. Batch
/// normalisation becomes part of the affine layers first. Names, scaler and
/// thresholds are those of the first model. A model with fewer features than the first
/// one takes the first of them: its weights of the others are 0.
///
/// \param models  at least one
/// \throws ParamError if one has more features than the first, or they differ in
///         outputs, loss, activations, depth
///         or scaler, or have residual connections
/// \cost   the square of the number of models from the second hidden layer on
[[nodiscard]] inline Model merge_models(std::span<const Model> models) {
  if (models.empty())
    throw ParamError("models", "must be at least 1; got none");
  std::vector<ScoringNetwork> networks;
  for (const Model& model : models) {
    detail::check_mergeable(models.front(), model);
    networks.push_back(fold_for_scoring(model.topology(), model.weights(),
                                        model.statistics()));
  }
  if (models.size() == 1) return models.front();
  Topology topology = detail::merged_topology(networks);
  Vector weights = detail::merged_weights(topology, networks);
  return models.front().with_network(std::move(topology), std::move(weights));
}

/// Divides the raw predictions of a classifier by a temperature.
///
/// \param temperature  > 0; above 1 the probabilities become less certain
/// \return the model with other weights of the output layer
/// \source Guo et al. 2017, On Calibration of Modern Neural Networks, 4.2
[[nodiscard]] inline Model with_temperature(const Model& model,
                                            double temperature) {
  const Topology& topology = model.topology();
  Vector weights = model.weights();
  const Index first = topology.weight_offset(topology.num_layers() - 1);
  weights.tail(weights.size() - first) /= temperature;
  Model result = model.with_network(topology, std::move(weights));
  result.set_statistics(model.statistics());
  return result;
}

}  // namespace mlp
