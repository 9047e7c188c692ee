// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "model_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "../../core/number_text.hpp"
#include "../../core/utf8.hpp"
#include "../../mlp/params/param_rules.hpp"
#include "../../mlp/params/param_table.hpp"
#include "../console/metric_text.hpp"

namespace mlp::cli {

namespace {

/// The largest number of names listed; further names are counted.
constexpr std::size_t kMaxTexts = 10;

/// Joins texts of a file on one line, with control characters escaped.
std::string join(const std::vector<std::string>& texts) {
  std::string line;
  for (std::size_t i = 0; i < std::min(texts.size(), kMaxTexts); ++i) {
    if (i != 0) line += ", ";
    line += texts[i];
  }
  if (texts.size() > kMaxTexts) {
    line += " and " + std::to_string(texts.size() - kMaxTexts) + " more";
  }
  return printable(line);
}

std::string format_params(const Params& params) {
  std::string line;
  for (const ParamInfo& info : kParamTable) {
    if (!is_written(info, params)) continue;
    if (!line.empty()) line += ", ";
    line += std::string(info.name) + ' ' + info.format(params);
  }
  return line;
}

/// Describes the settings of the network that Spark does not have.
std::string describe_network(const Topology& topology) {
  if (topology.is_spark()) return "";
  Params params;
  take_network(topology, params);
  std::string line;
  for (const ParamInfo& info : kParamTable) {
    const bool is_network = info.name == "task" || info.name == "activation" ||
                            info.name == "residual" ||
                            info.name == "batchNorm" || info.name == "dropout";
    if (!is_network || info.format(params) == info.format(Params{})) continue;
    if (!line.empty()) line += ", ";
    line += std::string(info.name) + ' ' + info.format(params);
  }
  return "network      " + line + '\n';
}

/// Describes the columns that are not simply numbers, one in a line.
std::string describe_columns(
    const std::vector<datasets::InputColumn>& columns) {
  std::string lines;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const datasets::InputColumn& column = columns[i];
    const bool is_category = column.kind == datasets::ColumnKind::kCategory;
    std::string detail;
    if (is_category) {
      detail = std::to_string(column.categories.size()) + " categories";
    }
    if (column.missing_value) {
      const double value = *column.missing_value;
      detail +=
          std::string(detail.empty() ? "" : "; ") +
          "a missing value is replaced by " +
          (is_category ? column.categories[static_cast<std::size_t>(value)]
                       : six_digits(value));
    }
    if (detail.empty()) continue;
    const std::string name =
        column.name.empty() ? std::to_string(i) : column.name;
    lines += lines.empty() ? "columns      " : "             ";
    lines += join({name + " (" + detail + ')'}) + '\n';
  }
  return lines;
}

/// Describes the label column, which has an index if the file had no header.
std::string describe_label(const Model& model) {
  const datasets::KnownLabel label = model.known_label();
  return label.name.empty() ? "column " + std::to_string(label.column)
                            : join({label.name});
}

}  // namespace

std::string format_model_json(std::string_view text,
                              const ModelDocument& document,
                              const SelfTestReport& check) {
  const Model& model = document.model;
  auto json = nlohmann::ordered_json::parse(text);
  json["weights"].erase("data");
  json["counts"] = {
      {"features", model.num_features()},
      {model.is_regressor() ? "labels" : "classes", model.num_classes()},
      {"layers", model.topology().num_layers()},
      {"weights", model.topology().num_weights()},
      {"selfTest", document.self_test.size()}};
  json["check"] = {{"passed", check.is_passed()},
                   {"difference", check.difference}};
  return json.dump(2) + '\n';
}

std::string format_model_text(const ModelDocument& document) {
  const Model& model = document.model;
  const optim::Summary& summary = document.summary;
  const auto& reason = optim::text_of(summary.convergence_reason);
  std::string text = "model        " + document.identity.uid + " by " +
                     join({document.identity.producer}) + '\n';
  text += "layers       " + format_list(model.layers()) + ", " +
          std::to_string(model.topology().num_weights()) + " weights\n";
  text += describe_network(model.topology());
  if (!model.feature_names().empty()) {
    text += "features     " + join(model.feature_names()) + '\n';
  }
  if (!model.label_column().empty()) {
    text += "label        " + describe_label(model) + '\n';
  }
  if (!model.input_columns().empty()) {
    text += describe_columns(model.input_columns());
  }
  if (model.input_rules().unknown == datasets::UnknownRule::kIgnore) {
    text += "unknown      categories are ignored\n";
  }
  if (!model.label_names().empty()) {
    text += (model.is_regressor() ? "labels       " : "classes      ") +
            join(model.label_names()) + '\n';
  }
  if (!model.thresholds().empty()) {
    text += "thresholds   " + format_list(model.thresholds()) + '\n';
  }
  if (model.scaler()) text += "input        is scaled by the model\n";
  text += "params       " + printable(format_params(document.params)) + '\n';
  text += "training     " + std::to_string(summary.total_iterations()) +
          " iterations on " + std::to_string(document.num_instances) +
          " instances" +
          (document.precision == Precision::kFloat64
               ? std::string()
               : std::string(" in ") + precision_name(document.precision)) +
          "; " + std::string(reason.sentence) + '\n';
  if (!summary.objective_history.empty()) {
    const auto best = static_cast<std::size_t>(summary.best_iteration());
    text +=
        "objective    " + six_digits(summary.objective_history[best]) + '\n';
  }
  return text;
}

}  // namespace mlp::cli
