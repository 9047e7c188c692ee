// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The members of a model document as JSON text.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/json_text.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../core/version.hpp"
#include "../../datasets/quantile_encoder.hpp"
#include "../model/prediction_region.hpp"
#include "../network/topology.hpp"
#include "../params/numeric_encoding.hpp"
#include "../params/param_rules.hpp"
#include "../params/param_table.hpp"
#include "base64.hpp"
#include "json_members.hpp"
#include "json_network.hpp"
#include "model_document.hpp"

namespace mlp::detail {

/// Writes one JSON object member by member, in compact form or one member to a
/// line.
class JsonObject {
 public:
  explicit JsonObject(bool has_lines = false) : has_lines_(has_lines) {}

  void add(std::string_view name, std::string_view json) {
    text_ += text_.empty() ? '{' : ',';
    text_ += has_lines_ ? "\n  \"" : "\"";
    text_ += name;
    text_ += has_lines_ ? "\": " : "\":";
    text_ += json;
  }

  [[nodiscard]] std::string text() const {
    return text_.empty() ? "{}" : text_ + '}';
  }

 private:
  bool has_lines_;
  std::string text_;
};

/// Returns a list as a JSON array.
///
/// \param append_item  called with the text and an item
template <typename Items, typename AppendItem>
std::string json_array(const Items& items, AppendItem append_item) {
  std::string json = "[";
  for (const auto& item : items) {
    if (json.size() > 1) json += ',';
    append_item(json, item);
  }
  return json + ']';
}

/// Appends a finite number, the shortest text that reads back as the same. JSON
/// readers read -0 as the integer 0, so a negative zero is written with a decimal
/// point.
inline void append_json_number(std::string& json, double number) {
  append_double(json, number);
  if (number == 0.0 && std::signbit(number)) json += ".0";
}

template <typename Numbers>
std::string json_numbers(const Numbers& numbers) {
  return json_array(numbers, append_json_number);
}

/// Writes numbers that may be not finite.
inline std::string json_history(const std::vector<double>& history) {
  return json_array(history, [](std::string& json, double number) {
    if (std::isfinite(number)) return append_json_number(json, number);
    append_json_string(json, format_double(number));
  });
}

template <typename Integers>
std::string json_integers(const Integers& integers) {
  return json_array(integers, [](std::string& json, Index integer) {
    json += std::to_string(integer);
  });
}

inline std::string json_strings(const std::vector<std::string>& strings) {
  return json_array(strings, append_json_string);
}

inline std::string json_params(const Params& params) {
  JsonObject object;
  for (const ParamInfo& info : kParamTable) {
    if (is_written(info, params)) object.add(info.name, info.format(params));
  }
  return object.text();
}

/// Returns the numbers, from 1, of the hidden layers that have a part.
inline std::string json_layers_with(const Topology& topology,
                                    bool HiddenLayer::*part) {
  std::vector<Index> numbers;
  for (Index k = 0; topology.is_hidden(k); ++k) {
    if (topology.hidden(k).*part) numbers.push_back(k + 1);
  }
  return json_integers(numbers);
}

/// Writes the settings of the network that Spark does not support.
inline std::string json_network(const Model& model) {
  const Topology& topology = model.topology();
  std::vector<double> dropout;
  for (const HiddenLayer& layer : topology.hidden_layers()) {
    dropout.push_back(layer.dropout);
  }
  JsonObject object;
  object.add("loss", json_string(loss_name(topology.loss())));
  object.add("residual", json_layers_with(topology, &HiddenLayer::is_residual));
  object.add("batchNorm",
             json_layers_with(topology, &HiddenLayer::has_batch_norm));
  object.add("dropout", json_numbers(dropout));
  object.add("statistics", json_numbers(model.statistics()));
  return object.text();
}

inline std::string json_column(const datasets::InputColumn& column,
                               bool has_name) {
  JsonObject object;
  if (has_name) object.add("name", json_string(column.name));
  object.add("kind", json_string(name_in(kColumnKindNames, column.kind)));
  if (column.kind == datasets::ColumnKind::kCategory) {
    object.add("categories", json_strings(column.categories));
  }
  if (column.missing_value) {
    std::string number;
    append_json_number(number, *column.missing_value);
    object.add("missing", number);
  }
  if (column.extra != datasets::ExtraFeature::kNone) {
    object.add("extra", json_string(name_in(datasets::kExtraFeatureNames,
                                            column.extra)));
  }
  return object.text();
}

/// Writes the edges of each feature that has bins.
inline std::string json_bins(const datasets::QuantileEncoder& encoder) {
  std::vector<Index> features;
  for (Index i = 0; i < encoder.num_features(); ++i) {
    const bool is_linear = encoder.edges()[static_cast<std::size_t>(i)].empty();
    if (!is_linear) features.push_back(i);
  }
  return json_array(features, [&](std::string& json, Index feature) {
    JsonObject object;
    object.add("feature", std::to_string(feature));
    object.add(
        "edges",
        json_numbers(encoder.edges()[static_cast<std::size_t>(feature)]));
    json += object.text();
  });
}

inline std::string json_input(const Model& model) {
  JsonObject object;
  const bool has_names = !model.feature_names().empty();
  if (has_names) {
    object.add("featureNames", json_strings(model.feature_names()));
  }
  if (model.scaler()) {
    object.add("mean", json_numbers(model.scaler()->mean));
    object.add("std", json_numbers(model.scaler()->standard_deviation));
  }
  if (!model.label_column().empty()) {
    object.add("label", json_string(model.label_column()));
  }
  if (!model.input_columns().empty()) {
    object.add("columns",
               json_array(model.input_columns(),
                          [&](std::string& json, const auto& column) {
                            json += json_column(column, has_names);
                          }));
  }
  const datasets::InputRules& rules = model.input_rules();
  if (rules.unknown != datasets::UnknownRule::kRefuse) {
    object.add("unknown", json_string(name_in(datasets::kUnknownRuleNames,
                                              rules.unknown)));
  }
  if (!rules.missing_texts.empty()) {
    object.add("missingTexts", json_strings(rules.missing_texts));
  }
  if (model.encoder()) {
    object.add(
        "numericEncoding",
        json_string(format_numeric_encoding({model.encoder()->num_bins()})));
    object.add("bins", json_bins(*model.encoder()));
  }
  return object.text();
}

/// Scores that nothing gave are not written.
inline std::string json_selection(const SelectionReport& selection,
                                  bool is_regressor) {
  const UnseenScores& unseen = selection.unseen;
  JsonObject object;
  object.add("folds", std::to_string(selection.num_folds));
  object.add("networks", std::to_string(selection.num_networks));
  if (!is_regressor) {
    object.add("temperature", format_double(selection.temperature));
  }
  object.add("unseenRows", std::to_string(unseen.num_instances));
  if (unseen.num_instances == 0) return object.text();
  object.add("unseenLoss", format_double(unseen.loss));
  if (!is_regressor) {
    object.add("unseenAccuracy", format_double(unseen.accuracy));
    object.add("calibrationError", format_double(unseen.calibration_error));
  }
  if (!unseen.coverage) return object.text();
  object.add("unseenCoverage", format_double(unseen.coverage->share));
  object.add("unseenMeanSize", format_double(unseen.coverage->mean_size));
  return object.text();
}

inline std::string json_interval(const PredictionInterval& interval) {
  JsonObject object;
  object.add("coverage", format_double(interval.coverage));
  object.add("lower", json_numbers(interval.lower));
  object.add("upper", json_numbers(interval.upper));
  return object.text();
}

inline std::string json_set(const PredictionSet& set) {
  JsonObject object;
  object.add("coverage", format_double(set.coverage));
  object.add("leastProbability", format_double(set.least_probability));
  return object.text();
}

inline std::string json_training(const ModelDocument& document) {
  const optim::Summary& summary = document.summary;
  JsonObject object;
  object.add("objectiveHistory", json_history(summary.objective_history));
  if (!summary.validation_history.empty()) {
    object.add("validationHistory", json_history(summary.validation_history));
  }
  object.add("totalIterations", std::to_string(summary.total_iterations()));
  object.add("evaluations", std::to_string(summary.evaluations));
  object.add("convergenceReason",
             json_string(optim::text_of(summary.convergence_reason).name));
  object.add("rows", std::to_string(document.num_instances));
  if (document.precision != Precision::kFloat64) {
    object.add("precision", json_string(precision_name(document.precision)));
  }
  if (document.selection) {
    object.add("selection", json_selection(*document.selection,
                                           document.model.is_regressor()));
  }
  return object.text();
}

inline std::string json_self_test(
    const std::vector<SelfTestInstance>& instances) {
  return json_array(
      instances, [](std::string& json, const SelfTestInstance& instance) {
        JsonObject object;
        object.add("features", json_numbers(instance.features));
        object.add("rawPrediction", json_numbers(instance.raw_prediction));
        object.add("probability", json_numbers(instance.probability));
        object.add("prediction", std::to_string(instance.prediction));
        json += object.text();
      });
}

/// Returns the default encoding of weights.
inline WeightsEncoding default_encoding(Index num_weights) {
  constexpr Index kMostDecimals = 100'000;
  return num_weights <= kMostDecimals ? WeightsEncoding::kDecimal
                                      : WeightsEncoding::kBase64;
}

inline constexpr std::string_view kEmptyUid = "mlpc_000000000000";

/// Returns the lowest version that can store a document.
inline std::int64_t format_version_of(const ModelDocument& document) {
  const Model& model = document.model;
  if (model.encoder() || datasets::has_extra_feature(model.input_columns()) ||
      model.input_rules().unknown == datasets::UnknownRule::kOther) {
    return kEncodingFormatVersion;
  }
  const bool is_first = model.topology().is_spark() &&
                        has_spark_params(document.params) &&
                        model.input_columns().empty() &&
                        model.input_rules() == datasets::InputRules();
  return is_first ? kSparkFormatVersion : kModelFormatVersion;
}

/// Writes a document up to the numbers of the weights, in the fixed order of its
/// members. The digits of uid are zeros.
inline std::string json_head(const ModelDocument& document,
                             WeightsEncoding encoding) {
  const Model& model = document.model;
  JsonObject lines(true);
  lines.add("format", json_string(kModelFormat));
  const bool is_spark = model.topology().is_spark();
  const std::int64_t version = format_version_of(document);
  lines.add("formatVersion", std::to_string(version));
  lines.add("producer", json_string("mlp " + std::string(kVersion)));
  lines.add("uid", json_string(kEmptyUid));
  if (is_spark && version != kEncodingFormatVersion) {
    lines.add("sparkClass", json_string(kModelSparkClass));
  }
  lines.add("params", json_params(document.params));
  lines.add("layers", json_integers(model.layers()));
  lines.add("activation", json_string(activation_names(model.topology())));
  if (!is_spark) lines.add("network", json_network(model));
  lines.add("input", json_input(model));
  if (!model.label_names().empty()) {
    lines.add("labels", json_strings(model.label_names()));
  }
  if (!model.thresholds().empty()) {
    lines.add("thresholds", json_numbers(model.thresholds()));
  }
  if (model.prediction_interval()) {
    lines.add("predictionInterval",
              json_interval(*model.prediction_interval()));
  }
  if (model.prediction_set()) {
    lines.add("predictionSet", json_set(*model.prediction_set()));
  }
  JsonObject weights;
  weights.add("layout", json_string(layout_name(model.topology())));
  weights.add("count", std::to_string(model.weights().size()));
  const bool is_decimal = encoding == WeightsEncoding::kDecimal;
  weights.add("encoding", is_decimal ? "\"decimal\"" : "\"base64\"");
  weights.add("data", "");
  lines.add("weights", weights.text());
  std::string text = lines.text();
  text.resize(text.size() - 2);
  return text;
}

/// Appends the member "data" of the weights.
///
/// \pre the weights are finite
inline void append_weights(std::string& json, const Vector& weights,
                           WeightsEncoding encoding) {
  if (encoding == WeightsEncoding::kBase64) {
    json += '"';
    append_base64(json, weights);
    json += '"';
    return;
  }
  json += '[';
  for (const double weight : weights) {
    append_json_number(json, weight);
    json += ',';
  }
  if (weights.size() > 0) json.pop_back();  // the last comma
  json += ']';
}

/// The most bytes that append_weights() appends.
inline std::size_t most_weights_bytes(Index num_weights,
                                      WeightsEncoding encoding) {
  constexpr std::size_t kMostDecimalBytes = 25;  // -2.2250738585072014e-308,
  const auto count = static_cast<std::size_t>(num_weights);
  return 2 + (encoding == WeightsEncoding::kDecimal ? count * kMostDecimalBytes
                                                    : base64_size(count));
}

}  // namespace mlp::detail
