// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../network/batch_norm.hpp"
#include "../network/layer_views.hpp"
#include "../params/export_format.hpp"
#include "model.hpp"

/// A trained network as Spark's MultilayerPerceptronClassificationModel has it.
namespace mlp {

/// Returns what decides in which formats a model can be written.
[[nodiscard]] inline ExportFacts export_facts(const Model& model) {
  ExportFacts facts;
  facts.is_regressor = model.is_regressor();
  facts.has_columns = !model.input_columns().empty();
  facts.has_quantiles = model.encoder().has_value();
  facts.num_weights = model.weights().size();
  for (const HiddenLayer& layer : model.topology().hidden_layers()) {
    facts.activations.emplace_back(layer.activation.name());
    facts.is_residual = facts.is_residual || layer.is_residual;
  }
  return facts;
}

/// Refuses a model that Spark's model cannot express.
///
/// \throws ModelError with the reason
inline void require_spark(const Model& model) {
  const auto problem =
      find_export_problem(ExportFormat::kSpark, export_facts(model));
  if (!problem) return;
  std::string advice =
      "score the model file in Spark with mlp.spark or the jar";
  if (!problem->remedy.empty()) {
    advice = "train with " + std::string(problem->remedy) + ", or " + advice;
  }
  throw ModelError("model",
                   "Spark's MultilayerPerceptronClassificationModel cannot "
                   "express this model: " +
                       problem->reason + "; " + advice);
}

/// Returns the number of weights of Spark's model.
///
/// \pre require_spark() accepts the model
[[nodiscard]] inline Index count_spark_weights(const Model& model) {
  return Topology(model.layers()).num_weights();
}

/// Returns the weights of Spark's model, in its order, with the scaler and batch
/// normalisation in them.
///
/// \return [count_spark_weights()]
/// \throws ModelError if Spark's model cannot express the network, or if its
///         weights are not finite
[[nodiscard]] inline Vector spark_weights(const Model& model) {
  require_spark(model);
  ScoringNetwork network =
      fold_for_scoring(model.topology(), model.weights(), model.statistics());
  if (model.scaler()) {
    LayerView first = view_layer(network.topology, 0, network.weights.data());
    first.weights.array().rowwise() *=
        model.scaler()->factors().transpose().array();
    first.biases -= first.weights * model.scaler()->mean;
  }
  if (network.weights.allFinite()) return network.weights;
  throw ModelError("model",
                   "the weights overflow when the scaler and batch "
                   "normalisation become a part of them; the deviations of "
                   "the features are too small");
}

}  // namespace mlp
