// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "scoring_data.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../datasets/label_index.hpp"
#include "../../mlp/classifier.hpp"
#include "../../mlp/instances/training_instances.hpp"
#include "../console/csv_notes.hpp"
#include "../console/label_note.hpp"
#include "../flags/csv_flags.hpp"
#include "../flags/flag_reader.hpp"
#include "../train/train_options.hpp"

namespace mlp::cli {

namespace {

/// The scale that is left to apply: a model that was trained with --scale keeps
/// it, and the flag may then repeat it.
double scale_for(const Model& model, const FlagReader& flags) {
  const double scale = read_scale(flags);
  if (scale == 1.0 || !model.scaler()) return scale;
  const datasets::StandardScaler& scaler = *model.scaler();
  const bool is_same = (scaler.mean.array() == 0.0).all() &&
                       (scaler.standard_deviation.array() == scale).all();
  if (is_same) return 1.0;
  throw ParamError("--scale: the model scales its features differently; got " +
                   format_double(scale) + "; leave the flag out");
}

datasets::LoadOptions scoring_options(const Model& model,
                                      const FlagReader& flags,
                                      int num_threads) {
  datasets::LoadOptions options;
  options.csv = read_csv_flags(flags);
  options.csv.num_threads = num_threads;
  options.scale = scale_for(model, flags);
  options.csv.label = flags.text("label");
  options.csv.feature_names = model.feature_names();
  options.csv.num_features = model.num_features();
  return options;
}

/// Loads a file, and says how a column too many is left out.
datasets::LoadedData load_with_hint(const std::string& path,
                                    const datasets::LoadOptions& options) {
  const bool may_name_label =
      options.csv.label_rule == datasets::LabelRule::kAbsent &&
      options.labels_file.empty();
  try {
    return datasets::load(path, options);
  } catch (const DataError& error) {
    const std::string sentence = error.what();
    const auto says = [&](const char* text) {
      return sentence.find(text) != sentence.npos;
    };
    const bool has_columns = error.position().line != 0;
    if (may_name_label && has_columns && says("wrong number of features")) {
      throw DataError(sentence +
                      "; use --label COL or --ignore COLS to leave columns "
                      "out");
    }
    if (may_name_label && says("there is no column")) {
      throw DataError(sentence +
                      "; if the first row is not a header, use --header no, "
                      "and --label COL to leave out the label");
    }
    throw;
  }
}

/// Returns a number as a CSV file would have it: 7 and not 7.0.
std::string describe_number(double number) {
  const auto integer =
      static_cast<std::int64_t>(std::abs(number) < 9e15 ? number : 0.5);
  return static_cast<double>(integer) == number ? std::to_string(integer)
                                                : format_double(number);
}

/// Turns the labels into class indices.
void index_labels(datasets::Dataset& data, const Model& model,
                  bool has_columns) {
  if (model.is_regressor() && data.label_texts.empty() &&
      data.labels.size() != 0) {
    return;
  }
  const bool is_named = !model.label_names().empty();
  if (is_named && !has_columns && data.label_texts.empty()) {
    // The numbers of the classes depend on their frequencies in the training.
    for (const double label : data.labels) {
      data.label_texts.push_back(describe_number(label));
    }
  }
  if (is_named && (has_columns || !data.label_texts.empty())) {
    data.labels = datasets::LabelIndex{model.label_names()}.apply(data);
    data.label_texts.clear();
    return;
  }
  if (!data.label_texts.empty()) {
    throw DataError(data.source,
                    "has texts as labels, but the classes of the model have no "
                    "names; expected the integers 0.." +
                        std::to_string(model.num_classes() - 1));
  }
  if (data.labels.size() == 0) {
    throw DataError(data.source,
                    "has no labels; name the file that has them: --labels");
  }
  static_cast<void>(mlp::detail::check_labels(data, model.topology()));
}

}  // namespace

datasets::LoadedData load_instances(const Model& model, const CommandLine& line,
                                    const std::string& path,
                                    const GlobalOptions& global) {
  datasets::LoadOptions options =
      scoring_options(model, FlagReader(line), global.num_threads);
  options.csv.label_rule = options.csv.label.empty()
                               ? datasets::LabelRule::kAbsent
                               : datasets::LabelRule::kRequired;
  // A label that is left out may be anything.
  options.csv.label_as_text = !options.csv.label.empty();
  datasets::LoadedData loaded = load_with_hint(path, options);
  note_guesses(global.console, loaded.dataset.source, loaded.guesses);
  return loaded;
}

datasets::Dataset load_labelled_instances(const Model& model,
                                          const CommandLine& line,
                                          const std::string& path,
                                          const GlobalOptions& global) {
  const FlagReader flags(line);
  datasets::LoadOptions options =
      scoring_options(model, flags, global.num_threads);
  options.labels_file = flags.text("labels");
  options.csv.label_as_text = !model.label_names().empty();
  flags.refuse_both("label", "labels");
  datasets::LoadedData loaded = load_with_hint(path, options);
  note_guesses(global.console, loaded.dataset.source, loaded.guesses);
  note_label(global.console, loaded, options.csv.label);
  index_labels(loaded.dataset, model, loaded.chosen_label.has_value());
  return std::move(loaded.dataset);
}

}  // namespace mlp::cli
