// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "../../core/atomic_file.hpp"
#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../mlp/model_json.hpp"
#include "../commands.hpp"
#include "../console/exit_code.hpp"
#include "../console/output_file.hpp"
#include "../console/usage_error.hpp"
#include "../flags/flag_reader.hpp"
#include "prediction_table.hpp"
#include "scoring_data.hpp"

namespace mlp::cli {

namespace {

Index read_layer(const FlagReader& flags) {
  const auto layer = flags.parsed("layer", parse_int,
                                  "an integer, 1 for the first hidden layer");
  if (layer) return *layer;
  throw UsageError(
      "--layer: is missing; expected the number of a hidden layer, from 1");
}

/// Writes CSV with a header. The columns are hidden<layer>_<unit>, and the
/// label if there is one.
std::string format_features(const Matrix& features, Index layer,
                            const datasets::Dataset& data) {
  const bool has_labels = !data.label_texts.empty();
  std::string text;
  for (Index i = 0; i < features.rows(); ++i) {
    text += "hidden" + std::to_string(layer) + '_' + std::to_string(i) + ',';
  }
  if (has_labels) {
    text +=
        csv_field(data.label_name.empty() ? "label" : data.label_name) + ',';
  }
  text.back() = '\n';
  for (Index j = 0; j < features.cols(); ++j) {
    for (Index i = 0; i < features.rows(); ++i) {
      append_double(text, features(i, j));
      text += ',';
    }
    if (has_labels) {
      text += csv_field(data.label_texts[static_cast<std::size_t>(j)]) + ',';
    }
    text.back() = '\n';
  }
  return text;
}

}  // namespace

int run_featurize(const CommandLine& line, const GlobalOptions& options) {
  const FlagReader flags(line);
  const std::string& model_file = line.arguments[0];
  const std::string& data_file = line.arguments[1];
  const std::string out = flags.text("out", "-");
  const Index layer = read_layer(flags);
  if (options.is_json) {
    throw UsageError("--json: is not a flag of featurize, which writes CSV");
  }
  if (out != "-") check_writable(out);
  check_not_an_input(out, {model_file, data_file});

  const Model model = load_model(model_file).model;
  const datasets::Dataset data =
      load_instances(model, line, data_file, options);
  const Matrix features = model.hidden_output(data.features, layer,
                                              *options.backend.implementation);
  const std::string text = format_features(features, layer, data);
  if (out == "-") {
    write_output(text);
  } else {
    write_atomically<ResourceError>(out, text);
    options.console.note("wrote " + std::to_string(features.rows()) +
                         " features of " + std::to_string(features.cols()) +
                         " instances to " + out);
  }
  return kSuccess;
}

}  // namespace mlp::cli
