// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The members of a model file as JSON text, but the weights.

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/json_text.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../optim/convergence_reason.hpp"
#include "../../optim/summary.hpp"
#include "../model/model.hpp"
#include "../model/self_test.hpp"
#include "../network/topology.hpp"
#include "../params/param_rules.hpp"
#include "../params/param_table.hpp"
#include "json_columns.hpp"
#include "json_network.hpp"
#include "json_weights.hpp"
#include "model_document.hpp"

namespace mlp::detail {

/// Writes one JSON object in compact form, member by member.
class JsonObject {
 public:
  void add(std::string_view name, std::string_view json) {
    text_ += text_.empty() ? "{\"" : ",\"";
    text_ += name;
    text_ += "\":";
    text_ += json;
  }

  [[nodiscard]] std::string text() const {
    return text_.empty() ? "{}" : text_ + '}';
  }

 private:
  std::string text_;
};

/// Appends a list as a JSON array.
///
/// \param append_item  called with the text and an item
template <typename Items, typename AppendItem>
void append_json_array(std::string& json, const Items& items,
                       AppendItem append_item) {
  json += '[';
  const std::size_t start = json.size();
  for (const auto& item : items) {
    if (json.size() > start) json += ',';
    append_item(json, item);
  }
  json += ']';
}

template <typename Items, typename AppendItem>
std::string json_array(const Items& items, AppendItem append_item) {
  std::string json;
  append_json_array(json, items, append_item);
  return json;
}

template <typename Numbers>
std::string json_numbers(const Numbers& numbers) {
  return json_array(numbers, append_json_number);
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
  std::vector<std::string> numbers;
  for (Index k = 0; topology.is_hidden(k); ++k) {
    if (topology.hidden(k).*part) numbers.push_back(std::to_string(k + 1));
  }
  return json_array(numbers, [](std::string& json, const std::string& number) {
    json += number;
  });
}

/// Appends the settings of the network that Spark does not support.
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

inline std::string json_columns(const Model& model) {
  const bool has_names = !model.feature_names().empty();
  return json_array(
      model.input_columns(),
      [&](std::string& json, const datasets::InputColumn& column) {
        JsonObject object;
        if (has_names) object.add("name", json_string(column.name));
        object.add("kind", json_string(name_in(kColumnKindNames, column.kind)));
        if (column.kind == datasets::ColumnKind::kCategory) {
          object.add("categories", json_strings(column.categories));
        }
        if (column.missing_value) {
          std::string number;
          append_json_number(number, *column.missing_value);
          object.add("missing", number);
        }
        json += object.text();
      });
}

inline std::string json_input(const Model& model) {
  JsonObject object;
  if (!model.feature_names().empty()) {
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
    object.add("columns", json_columns(model));
  }
  const datasets::InputRules& rules = model.input_rules();
  if (rules.unknown != datasets::UnknownRule::kRefuse) {
    object.add("unknown", json_string(name_in(datasets::kUnknownRuleNames,
                                              rules.unknown)));
  }
  if (!rules.missing_texts.empty()) {
    object.add("missingTexts", json_strings(rules.missing_texts));
  }
  return object.text();
}

/// Writes numbers that may be not finite.
inline std::string json_history(const std::vector<double>& history) {
  return json_array(history, [](std::string& json, double number) {
    if (std::isfinite(number)) {
      append_json_number(json, number);
    } else {
      append_json_string(json, format_double(number));
    }
  });
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

}  // namespace mlp::detail
