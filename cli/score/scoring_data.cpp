// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "scoring_data.hpp"

#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../datasets/label_index.hpp"
#include "../../datasets/load/targets.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "../../mlp/classifier.hpp"
#include "../../mlp/instances/prepared_instances.hpp"
#include "../../mlp/model/scoring_columns.hpp"
#include "../data/data_file.hpp"
#include "../data/data_notes.hpp"
#include "../data/data_options.hpp"
#include "../flags/flag_reader.hpp"

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
  options.store = read_store(flags, flags.text("out"));
  options.scale = scale_for(model, flags);
  options.csv.label = flags.text("label");
  options.csv.feature_names = model.feature_names();
  options.csv.num_features = model.num_features();
  const auto columns = scoring_columns(model);
  if (!columns.empty()) options.csv.use_columns(columns);
  options.csv.use_rules(model.input_rules());
  options.csv.unknown =
      flags.choice("unknown", datasets::kUnknownRuleNames, options.csv.unknown);
  return options;
}

/// Returns the label columns of a regressor of several numbers: the columns of --label,
/// or else the columns of its training. Empty for other models.
std::vector<std::string> target_columns(const Model& model,
                                        const FlagReader& flags) {
  if (!model.is_regressor() || model.num_classes() == 1) return {};
  std::vector<std::string> columns =
      flags
          .parsed("label", parse_columns,
                  "names or 0-based indices of columns, separated by commas")
          .value_or(model.label_names());
  const std::vector<std::string>& known = model.label_names();
  if (columns != known && std::is_permutation(columns.begin(), columns.end(),
                                              known.begin(), known.end())) {
    throw ParamError(
        "--label: expected the columns in the order of the training, " +
        datasets::quoted_list(known) + ", got " +
        datasets::quoted_list(columns));
  }
  if (static_cast<Index>(columns.size()) == model.num_classes()) return columns;
  throw ParamError(
      "--label: expected " + std::to_string(model.num_classes()) +
      " columns, one for each number that the model predicts; got " +
      std::to_string(columns.size()));
}

void note_unknown_rule(const Console& console,
                       const datasets::CsvOptions& csv) {
  if (csv.unknown == datasets::UnknownRule::kRefuse || csv.may_have_texts()) {
    return;
  }
  console.note("--unknown has no effect: the model has no categories");
}

/// Loads files, and says how a column too many is left out.
datasets::LoadedData load_with_hint(const std::vector<std::string>& paths,
                                    const datasets::LoadOptions& options,
                                    const Console& console) {
  const bool may_name_label =
      options.csv.label_rule == datasets::LabelRule::kAbsent &&
      options.labels_file.empty();
  try {
    datasets::LoadedData loaded =
        load_table(paths, options, ReadFor::kScoring, console);
    note_unknown_rule(console, options.csv);
    return loaded;
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
    const bool is_other_case = says("names must have the same case");
    const bool may_have_header = has_columns && !is_other_case;
    if (may_name_label && says("there is no column") && may_have_header) {
      throw DataError(sentence +
                      "; if the first row is not a header, use --header no, "
                      "and --label COL to leave out the label");
    }
    throw;
  }
}

/// Turns the labels into class indices.
void index_labels(datasets::Dataset& data, const Model& model) {
  if (!data.has_labels()) {
    throw DataError(data.source,
                    "has no labels; name the file that has them: --labels");
  }
  if (model.is_regressor() && data.label_texts.empty()) return;
  if (!model.label_names().empty()) {
    data.labels = datasets::LabelIndex{model.label_names()}.apply(data);
    data.label_texts.clear();
    return;
  }
  if (model.num_classes() == 2 && !model.is_regressor()) {
    datasets::index_truth_values(data);
  }
  if (!data.label_texts.empty()) {
    throw DataError(data.source,
                    "has texts as labels, but the classes of the model have no "
                    "names; expected the integers 0.." +
                        std::to_string(model.num_classes() - 1));
  }
  static_cast<void>(mlp::check_labels(data, model.topology()));
}

/// Notes that columns are taken by position although the model knows their names.
void note_positions(const Console& console, const Model& model,
                    const datasets::LoadedData& loaded) {
  const bool is_csv = loaded.delimiter != 0;
  if (!is_csv || loaded.has_header || model.feature_names().empty()) return;
  std::vector<std::string> names = model.feature_names();
  if (!model.input_columns().empty()) {
    names.clear();
    for (const auto& column : model.input_columns()) {
      names.push_back(column.name);
    }
  }
  console.note("'" + loaded.dataset.source +
               "' has no header, so its columns are taken as the features of "
               "the model in their order: " +
               datasets::quoted_list(names));
}

}  // namespace

datasets::LoadOptions instance_options(const Model& model,
                                       const CommandLine& line,
                                       const GlobalOptions& global) {
  const FlagReader flags(line);
  datasets::LoadOptions options =
      scoring_options(model, flags, global.num_threads);
  if (model.is_regressor() && model.num_classes() > 1 && flags.has("label")) {
    datasets::expect_targets(options.csv, target_columns(model, flags));
  }
  options.csv.label_rule = options.csv.label.empty()
                               ? datasets::LabelRule::kAbsent
                               : datasets::LabelRule::kRequired;
  // A label that is left out may be anything.
  options.csv.label_as_text = !options.csv.label.empty();
  return options;
}

void note_instances(const Model& model, const datasets::LoadOptions& options,
                    const datasets::LoadedData& loaded,
                    const Console& console) {
  note_unknown_rule(console, options.csv);
  note_guesses(console, loaded);
  note_positions(console, model, loaded);
}

datasets::LoadedData load_instances(const Model& model, const CommandLine& line,
                                    const GlobalOptions& global) {
  const datasets::LoadOptions options = instance_options(model, line, global);
  datasets::LoadedData loaded =
      load_with_hint(line.data(), options, global.console);
  note_guesses(global.console, loaded);
  note_positions(global.console, model, loaded);
  return loaded;
}

datasets::Dataset load_labelled_instances(const Model& model,
                                          const CommandLine& line,
                                          const GlobalOptions& global) {
  const FlagReader flags(line);
  datasets::LoadOptions options =
      scoring_options(model, flags, global.num_threads);
  options.labels_file = flags.text("labels");
  options.csv.known_label = model.known_label();
  options.csv.label_as_text =
      !model.is_regressor() && !model.label_names().empty();
  flags.refuse_both("label", "labels");
  const auto targets = target_columns(model, flags);
  if (!targets.empty()) datasets::expect_targets(options.csv, targets);
  datasets::LoadedData loaded =
      load_with_hint(line.data(), options, global.console);
  if (!targets.empty()) datasets::take_targets(loaded);
  note_guesses(global.console, loaded);
  note_positions(global.console, model, loaded);
  note_label(global.console, loaded, options.csv.label);
  index_labels(loaded.dataset, model);
  return std::move(loaded.dataset);
}

}  // namespace mlp::cli
