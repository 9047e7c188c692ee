// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../../../datasets/dataset.hpp"
#include "../../../datasets/input_column.hpp"
#include "../../../mlp/model_file/model_checksum.hpp"
#include "../../../mlp/model_file/model_document.hpp"
#include "../../../mlp/network/batch_norm.hpp"
#include "../../../mlp/network/initial_weights.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../../../mlp/params/param_table.hpp"

namespace mlp::tests {

/// A model of layers [2, 2, 3] and 15 weights whose training is made up: small,
/// with every kind of member but labels, thresholds and a scaler.
inline ModelDocument plain_document() {
  const Topology topology({2, 2, 3});
  Params params;
  params.max_iter = 20;
  params.seed = 1234;
  optim::Summary summary;
  summary.objective_history = {1.5, 0.25, 0.125};
  summary.evaluations = 4;
  summary.convergence_reason = optim::ConvergenceReason::kMaxIter;
  datasets::Dataset data;
  data.features.resize(2, 4);
  data.features << 0.5, 1.0, -1.5, 0.0, 2.0, 0.0, 0.1, 0.0;
  return make_model_document(
      Model(topology, draw_initial_weights(topology, params.seed)), params,
      summary, data);
}

/// As plain_document(), with every optional member but prediction intervals and sets.
inline ModelDocument full_document() {
  ModelDocument document = plain_document();
  const Vector weights = document.model.weights();
  Model model(document.model.topology(), weights, {0.5, 0.25, 0.25});
  model.set_feature_names({"length", "w\"id\\th\n\x01 \xC3\xA9"});
  model.set_label_column("kind \"x\"");
  model.set_label_names({"no", "yes"});
  model.set_scaler({Vector{{0.5, -1.0}}, Vector{{2.0, 0.0}}});
  datasets::Dataset data;
  data.features = document.self_test[0].features;
  return make_model_document(std::move(model), document.params,
                             document.summary, data);
}

/// As plain_document(), of a network and a training that Spark does not have:
/// a file of version 2 with all that its params may hold.
inline ModelDocument network_document() {
  ModelDocument plain = plain_document();
  Params params = plain.params;
  params.layers = {2, 2, 3, 3};
  params.activation = {*Activation::find("tanh"),
                       *Activation::find("leaky-relu")};
  params.residual = true;
  params.batch_norm = true;
  params.dropout = {0.25, 0.0};
  params.solver = Solver::kSgd;
  for (const ParamInfo& info : kParamTable) {
    if (info.stored != Stored::kWhenSet) continue;
    set_param(params, info, info.example);
  }
  const Topology topology = topology_of(params);
  Model model(topology, draw_initial_weights(topology, params.seed));
  // Means below, variances above 0.
  Vector statistics = BatchNorm::initial_statistics(topology);
  statistics.array() -= 0.125;
  model.set_statistics(std::move(statistics));
  datasets::Dataset data;
  data.features = plain.self_test[0].features;
  return make_model_document(std::move(model), std::move(params), plain.summary,
                             data);
}

/// A model whose features are a column of numbers and one of categories.
inline ModelDocument columns_document() {
  const Topology topology({3, 2, 2});
  Model model(topology, draw_initial_weights(topology, 1));
  const std::vector<datasets::InputColumn> columns = {
      {"x", datasets::ColumnKind::kNumber, {}, 1.5},
      {"color", datasets::ColumnKind::kCategory, {"blue", "red"}, 1.0}};
  model.set_feature_names(datasets::expanded_names(columns));
  model.set_input_columns(columns);
  datasets::Dataset data;
  data.features = Matrix{{0.5, 2.0}, {1.0, 0.0}, {0.0, 1.0}};
  return make_model_document(std::move(model), plain_document().params,
                             plain_document().summary, data);
}

/// As columns_document(), with rules for the fields of its data files.
inline ModelDocument rules_document() {
  ModelDocument document = columns_document();
  document.model.set_input_rules(
      {datasets::UnknownRule::kIgnore, {"-999", "n/a"}});
  return document;
}

/// A model with two columns that become five features, two of them extra.
inline ModelDocument extra_document() {
  using datasets::ColumnKind;
  using datasets::ExtraFeature;
  const Topology topology({5, 2, 2});
  Model model(topology, draw_initial_weights(topology, 1));
  model.set_input_columns(
      {{"", ColumnKind::kNumber, {}, 1.5, ExtraFeature::kMissing},
       {"", ColumnKind::kCategory, {"", "red"}, 0.0, ExtraFeature::kOther}});
  model.set_input_rules({datasets::UnknownRule::kOther, {}});
  datasets::Dataset data;
  data.features = Matrix{{1}, {0}, {0}, {1}, {0}};
  return make_model_document(std::move(model), plain_document().params,
                             plain_document().summary, data);
}

/// A model with two features. The second one has four bins.
inline ModelDocument encoding_document() {
  const Topology topology({6, 2, 2});
  Model model(topology, draw_initial_weights(topology, 1));
  model.set_encoder({5, {{}, {-1.0, 0.0, 0.5, 2.0, 4.0}}});
  model.set_feature_names({"x", "y"});
  datasets::Dataset data;
  data.features = Matrix{{0.5, 2.0}, {1.0, -0.5}};
  return make_model_document(std::move(model), plain_document().params,
                             plain_document().summary, data);
}

/// A model that predicts numbers.
inline ModelDocument regressor_document() {
  Params params;
  params.layers = {2, 3, 1};
  params.task = Task::kRegression;
  const Topology topology = topology_of(params);
  datasets::Dataset data;
  data.features = Matrix::Constant(2, 2, 0.5);
  return make_model_document(
      Model(topology, draw_initial_weights(topology, params.seed)), params,
      plain_document().summary, data);
}

/// As plain_document(), with prediction sets that folds gave.
inline ModelDocument set_document() {
  ModelDocument document = plain_document();
  document.model.set_prediction_set({0.9, 0.125});
  document.selection.emplace().unseen = {20, 0.5, 0.75, 0.0625,
                                         Coverage{0.875, 1.5}};
  return document;
}

/// A model that predicts two numbers, with prediction intervals.
inline ModelDocument interval_document() {
  Params params;
  params.layers = {2, 3, 2};
  params.task = Task::kRegression;
  const Topology topology = topology_of(params);
  Model model(topology, draw_initial_weights(topology, params.seed));
  model.set_prediction_interval(
      {0.9, Vector{{-1.5, -2.0}}, Vector{{1.0, 2.0}}});
  datasets::Dataset data;
  data.features = Matrix::Constant(2, 2, 0.5);
  return make_model_document(std::move(model), params, plain_document().summary,
                             data);
}

/// Replaces the one place where a text stands.
inline std::string replaced(std::string text, const std::string& old,
                            const std::string& by) {
  const std::size_t at = text.find(old);
  if (at == std::string::npos || text.find(old, at + 1) != std::string::npos) {
    throw std::logic_error("expected once: " + old);
  }
  return text.replace(at, old.size(), by);
}

/// Puts the right hash into a document that was changed on purpose.
inline std::string resigned(std::string text) {
  text.resize(text.size() - detail::kChecksumBytes);
  append_checksum(text);
  return text;
}

}  // namespace mlp::tests
