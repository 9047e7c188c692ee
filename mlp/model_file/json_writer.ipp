// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/json_text.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../core/version.hpp"
#include "../../optim/convergence_reason.hpp"
#include "../params/param_rules.hpp"
#include "../params/param_table.hpp"
#include "json_base64.hpp"
#include "json_columns.hpp"
#include "json_members.hpp"
#include "json_network.hpp"
#include "json_writer.hpp"
#include "model_checksum.hpp"
#include "model_document.hpp"
#include "model_document_check.hpp"

namespace mlp {

namespace detail {

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

/// Appends a finite number. JSON readers read -0 as the integer 0, so a
/// negative zero is written with a decimal point.
inline void append_json_number(std::string& json, double number) {
  if (number == 0.0 && std::signbit(number)) {
    json += "-0.0";
  } else {
    append_double(json, number);
  }
}

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
  return object.text();
}

inline void append_json_weights(std::string& json, const Model& model,
                                WeightsEncoding encoding) {
  const Vector& weights = model.weights();
  const bool is_decimal = encoding == WeightsEncoding::kDecimal;
  JsonObject object;
  object.add("layout", json_string(layout_name(model.topology())));
  object.add("count", std::to_string(weights.size()));
  object.add("encoding", is_decimal ? "\"decimal\"" : "\"base64\"");
  object.add("data", "");
  json += object.text();
  json.pop_back();
  if (is_decimal) {
    append_json_array(json, weights, append_json_number);
  } else {
    json += '"';
    append_base64(json, weights);
    json += '"';
  }
  json += '}';
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

/// Writes the outermost object, one member to a line.
class JsonLines {
 public:
  /// Starts a member; append its value to the returned text.
  std::string& add(std::string_view name) {
    text_ += text_.empty() ? "{\n  \"" : ",\n  \"";
    text_ += name;
    text_ += "\": ";
    return text_;
  }

  void add(std::string_view name, std::string_view json) { add(name) += json; }

  /// Ends the last member; the line of sha256 follows.
  [[nodiscard]] std::string take() {
    text_ += ",\n";
    return std::move(text_);
  }

 private:
  std::string text_;
};

inline constexpr std::string_view kEmptyUid = "mlpc_000000000000";

/// Writes the lines of a document before the line of sha256, in the fixed order
/// of its members. The digits of uid are zeros.
inline std::string json_lines(const ModelDocument& document,
                              WeightsEncoding encoding) {
  const Model& model = document.model;
  JsonLines lines;
  lines.add("format", json_string(kModelFormat));
  const bool is_spark = model.topology().is_spark();
  const bool is_first_version = is_spark && has_spark_params(document.params) &&
                                model.input_columns().empty();
  lines.add("formatVersion",
            std::to_string(is_first_version ? kSparkFormatVersion
                                            : kModelFormatVersion));
  lines.add("producer", json_string("mlp " + std::string(kVersion)));
  lines.add("uid", json_string(kEmptyUid));
  if (is_spark) lines.add("sparkClass", json_string(kModelSparkClass));
  lines.add("params", json_params(document.params));
  lines.add("layers",
            json_array(model.layers(), [](std::string& json, Index size) {
              json += std::to_string(size);
            }));
  lines.add("activation", json_string(activation_names(model.topology())));
  if (!is_spark) lines.add("network", json_network(model));
  lines.add("input", json_input(model));
  if (!model.label_names().empty()) {
    lines.add("labels", json_strings(model.label_names()));
  }
  if (!model.thresholds().empty()) {
    lines.add("thresholds", json_numbers(model.thresholds()));
  }
  append_json_weights(lines.add("weights"), model, encoding);
  lines.add("training", json_training(document));
  lines.add("selfTest", json_self_test(document.self_test));
  return lines.take();
}

}  // namespace detail

std::string write_model_json(const ModelDocument& document,
                             const std::string& file,
                             std::optional<WeightsEncoding> encoding) {
  check_model_document(document, file);
  std::string text = detail::json_lines(
      document, encoding.value_or(
                    detail::default_encoding(document.model.weights().size())));
  text.replace(text.find(detail::kEmptyUid), detail::kEmptyUid.size(),
               model_uid(text));
  append_checksum(text);
  return text;
}

}  // namespace mlp
