// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "../../core/number_text.hpp"
#include "../../mlp/model_json.hpp"
#include "../commands.hpp"
#include "../console/exit_code.hpp"
#include "../console/usage_error.hpp"
#include "../device/device_choice.hpp"
#include "../flags/flag_reader.hpp"
#include "prediction_table.hpp"
#include "scoring_data.hpp"
#include "table_output.hpp"

namespace mlp::cli {

namespace {

Index read_layer(const FlagReader& flags) {
  const auto layer = flags.parsed("layer", parse_int,
                                  "an integer, 1 for the first hidden layer");
  if (layer) return *layer;
  throw UsageError(
      "--layer: is missing; expected the number of a hidden layer, from 1");
}

/// Returns the columns of the labels; empty if there are none.
std::vector<datasets::KeptColumn> take_labels(datasets::LoadedData& loaded) {
  datasets::Dataset& data = loaded.dataset;
  if (data.label_texts.empty()) return std::move(loaded.targets);
  return {{data.label_name.empty() ? "label" : data.label_name,
           std::move(data.label_texts)}};
}

/// Writes CSV with a header. The columns are hidden<layer>_<unit>, and then the
/// labels.
std::string format_features(const Matrix& features, Index layer,
                            const std::vector<datasets::KeptColumn>& labels) {
  std::string text;
  for (Index i = 0; i < features.rows(); ++i) {
    text += "hidden" + std::to_string(layer) + '_' + std::to_string(i) + ',';
  }
  for (const auto& label : labels) {
    append_csv_field(text, label.name);
    text += ',';
  }
  text.back() = '\n';
  for (Index j = 0; j < features.cols(); ++j) {
    for (Index i = 0; i < features.rows(); ++i) {
      append_double(text, features(i, j));
      text += ',';
    }
    for (const auto& label : labels) {
      append_csv_field(text, label.texts[static_cast<std::size_t>(j)]);
      text += ',';
    }
    text.back() = '\n';
  }
  return text;
}

}  // namespace

int run_featurize(const CommandLine& line, const GlobalOptions& given) {
  GlobalOptions options = given;
  open_requested_device(options, Precision::kFloat64);
  const FlagReader flags(line);
  const Index layer = read_layer(flags);
  const TableOutput output(line);
  const std::string path = flags.text("out");
  if (path.ends_with(".json")) {
    throw UsageError("--out: the outputs are CSV, got '" + path +
                     "'; name a .csv file");
  }

  const Model model = load_model(line.arguments[0]).model;
  datasets::LoadedData loaded = load_instances(model, line, options);
  const datasets::Dataset& data = loaded.dataset;
  Matrix features;
  data.visit_features([&](Index first, const auto& rows) {
    const Matrix outputs =
        model.hidden_output(rows, layer, *options.backend.implementation);
    if (first == 0) features.resize(outputs.rows(), data.num_instances());
    features.middleCols(first, rows.cols()) = outputs;
  });
  output.write(format_features(features, layer, take_labels(loaded)),
               std::to_string(features.rows()) + " features of " +
                   std::to_string(features.cols()) + " instances",
               options.console);
  return kSuccess;
}

}  // namespace mlp::cli
