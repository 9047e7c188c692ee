// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "trained_model.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/files/atomic_file.hpp"
#include "../../core/utf8.hpp"
#include "../../mlp/model_file/model_document.hpp"
#include "../../mlp/model_json.hpp"
#include "../console/console.hpp"

namespace mlp::cli {

namespace {

/// Returns the label column, or "" if a model file cannot store it.
std::string stored_label_column(const TrainingData& data) {
  const datasets::Dataset& trained = data.instances->data();
  const std::string label =
      datasets::label_text(data.label, !trained.feature_names.empty());
  const auto has_label = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), label) != names.end();
  };
  const bool is_feature = has_label(trained.feature_names) ||
                          has_label(datasets::column_names(data.input_columns));
  return is_feature || !is_utf8(label) ? "" : label;
}

ModelDocument make_document(const TrainingJob& job, const TrainingData& data,
                            const FitResult& fit) {
  const datasets::Dataset& trained = data.instances->data();
  Model model = fit.model;
  if (data.encoder) model.set_encoder(*data.encoder);
  if (data.scaler) model.set_scaler(*data.scaler);
  model.set_feature_names(trained.feature_names);
  model.set_input_columns(data.input_columns);
  datasets::InputRules rules;
  rules.unknown = datasets::stored_unknown_rule(data.input_columns,
                                                job.options.csv.unknown);
  rules.missing_texts = job.options.csv.missing_texts.given().value_or(
      std::vector<std::string>());
  model.set_input_rules(std::move(rules));
  model.set_label_column(stored_label_column(data));
  model.set_label_names(trained.target_names.empty() ? data.classes.names
                                                     : trained.target_names);
  ModelDocument document = make_model_document(
      std::move(model), job.params, fit.summary, data.first_instances);
  document.num_instances = data.num_instances;
  document.precision = job.options.precision;
  document.selection = fit.selection;
  return document;
}

/// Writes a text to a new file in the folder for temporary files.
///
/// \return its path, or "" if it cannot be written
std::string write_elsewhere(const std::string& text) {
  constexpr std::string_view kEnding = ".json";
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) /
                      ("mlp-model-XXXXXX" + std::string(kEnding)))
                         .string();
  if (error) return "";
  const int descriptor =
      ::mkstemps(path.data(), static_cast<int>(kEnding.size()));
  if (descriptor < 0) return "";
  const mlp::DescriptorGuard guard(descriptor);
  try {
    mlp::write_fully<ResourceError>(descriptor, text, path);
    if (mlp::sync_retrying(descriptor) == 0) return path;
  } catch (const ResourceError&) {
  }
  ::unlink(path.c_str());
  return "";
}

/// Returns where a model that could not be written can be had from, as the end of
/// a sentence.
std::string describe_rescue(const std::string& text,
                            const std::string& checkpoint) {
  const std::string path = write_elsewhere(text);
  if (!path.empty()) return "; the model is saved as " + path + " instead";
  if (checkpoint.empty()) return "";
  return "; " + checkpoint +
         " has the last checkpoint: add --resume to continue from it";
}

}  // namespace

void save_trained_model(const TrainingJob& job, const TrainingData& data,
                        const FitResult& fit, const std::string& checkpoint) {
  const ModelDocument document = make_document(job, data, fit);
  const std::string& path = job.options.model_file;
  if (path == "-") return write_output(to_json(document));
  const std::string text = to_json(document, {}, path);
  if (mlp::is_device_or_pipe(path)) {
    return write_atomically<ResourceError>(path, text);
  }
  try {
    replace_file<ResourceError>(path, text);
  } catch (const ResourceError& error) {
    throw ResourceError(error.what() + describe_rescue(text, checkpoint));
  }
}

}  // namespace mlp::cli
