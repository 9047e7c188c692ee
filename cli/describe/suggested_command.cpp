// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "suggested_command.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/utf8.hpp"
#include "../../datasets/identifiers.hpp"
#include "../../datasets/label_index.hpp"
#include "../../datasets/left_out_columns.hpp"
#include "../../datasets/load/data_files.hpp"
#include "../console/shell_word.hpp"
#include "../data/class_labels.hpp"
#include "../data/column_advice.hpp"
#include "../data/data_file.hpp"

namespace mlp::cli {

namespace {

using datasets::ColumnSurvey;
using datasets::CsvSurvey;

/// More different texts than this make too many features for a first training.
constexpr std::size_t kMostCategories = 200;

/// The flags that chosen_flags() states.
constexpr std::string_view kChosenFlags[] = {
    "header", "decimal", "label", "task", "ignore", "one-hot", "na", "missing"};

/// Returns the name of the model file for a data file.
std::string model_name(const std::string& data) {
  std::filesystem::path name(data);
  name = name.has_filename() ? name.filename() : name.parent_path().filename();
  if (name.extension() == ".gz") name = name.stem();
  const std::string stem = name.stem().string();
  const bool is_name = !stem.empty() && stem != "-" &&
                       stem.find_first_of("*?[") == std::string::npos;
  return (is_name ? stem : "model") + ".json";
}

/// Returns true if all files are regular: a pipe cannot be read twice.
bool can_be_read_again(const std::vector<std::string>& data) try {
  const std::vector<std::string> files = datasets::find_data_files(data).paths;
  return std::all_of(files.begin(), files.end(), [](const std::string& file) {
    return std::filesystem::is_regular_file(file);
  });
} catch (const DataError&) {
  return false;
}

/// Returns a label column as a flag names it.
std::string flag_label(const datasets::LoadedData& loaded) {
  const datasets::ChosenLabel& label = *loaded.chosen_label;
  const auto& names = loaded.dataset.feature_names;
  const bool is_unique =
      std::find(names.begin(), names.end(), label.name) == names.end();
  return is_plain_column(label.name) && is_unique
             ? label.name
             : std::to_string(label.column);
}

/// Returns true for a column that helps no training: without values, with other texts
/// in most rows, with many categories, or with dates or prices.
bool is_no_feature(const CsvSurvey& survey, const ColumnSurvey& column) {
  if (has_texts_for_missing(column)) return false;
  if (is_useless(column, survey.num_rows)) return true;
  const bool has_signs = 2 * column.num_with_signs > column.num_texts &&
                         column.values.size() > datasets::kMaxDistinct;
  return column.num_texts != 0 && column.num_numbers < column.num_texts &&
         (column.values.size() > kMostCategories || has_signs);
}

}  // namespace

SuggestedCommand::SuggestedCommand(const CommandLine& line, DataOptions options,
                                   const GlobalOptions& global)
    : line_(line),
      options_(std::move(options)),
      global_(global),
      given_header_(options_.csv.header) {
  global_.console = {.is_quiet = true, .is_verbose = false, .is_silent = true};
}

void SuggestedCommand::take(const datasets::LoadedData& loaded) {
  state_ = examine(loaded);
}

void SuggestedCommand::refuse_labels() {
  if (state_ == State::kSuffice) state_ = change_label();
}

void SuggestedCommand::learn(const datasets::ColumnError& error) {
  state_ = learn(*error.survey(), error.column());
}

std::optional<std::string> SuggestedCommand::find() {
  constexpr int kMostTries = 40;
  if (state_ == State::kChanged && !can_be_read_again(options_.data)) {
    return std::nullopt;
  }
  for (int i = 0; i < kMostTries && state_ == State::kChanged; ++i) {
    state_ = try_flags();
  }
  if (state_ != State::kSuffice) return std::nullopt;
  return text();
}

/// Reads the data with the flags so far, and looks for the classes of the labels.
SuggestedCommand::State SuggestedCommand::try_flags() try {
  datasets::LoadedData loaded = read_data_file(options_, global_);
  const State state = examine(loaded);
  if (state != State::kSuffice || lacks_labels_) return state;
  try {
    const DataTotals totals = totals_of(loaded.dataset, options_.params.task);
    static_cast<void>(
        index_labels(loaded.dataset, totals, options_, global_.console));
    return State::kSuffice;
  } catch (const DataError&) {
    return change_label();
  }
} catch (const datasets::ColumnError& error) {
  if (error.survey() == nullptr) return State::kFailed;
  return learn(*error.survey(), error.column());
} catch (const DataError&) {
  return State::kFailed;
}

/// Decides about the columns of data that can be read.
SuggestedCommand::State SuggestedCommand::examine(
    const datasets::LoadedData& loaded) {
  keep_header(loaded.has_header);
  if (loaded.chosen_label && options_.label.empty()) {
    options_.label = flag_label(loaded);
    other_labels_ = loaded.guesses.other_labels;
  }
  const datasets::Dataset& data = loaded.dataset;
  num_features_ = data.columns.empty() ? data.num_features()
                                       : datasets::count_features(data.columns);
  lacks_labels_ = !data.has_labels();
  are_labels_numbers_ = data.label_texts.empty();
  // Both change the columns, so one reading tries both.
  const bool has_left_out = ignore_first_column(loaded.guesses);
  if (ignore_identifiers(data) || has_left_out) return State::kChanged;
  return has_label_of_rows(data) ? choose_other_label() : State::kSuffice;
}

/// Keeps the first decision about the header: without some columns, the rows may tell
/// less about it.
void SuggestedCommand::keep_header(bool has_header) {
  if (has_header_) return;
  has_header_ = has_header;
  options_.csv.header =
      has_header ? datasets::HeaderRule::kYes : datasets::HeaderRule::kNo;
}

bool SuggestedCommand::is_ignored(const std::string& column) const {
  const auto& ignored = options_.csv.ignored;
  return std::find(ignored.begin(), ignored.end(), column) != ignored.end();
}

/// \returns false if the column is left out already
bool SuggestedCommand::leave_out(const std::string& column) {
  if (is_ignored(column)) return false;
  options_.csv.ignored.push_back(column);
  auto& categories = options_.csv.one_hot.columns;
  categories.erase(std::remove(categories.begin(), categories.end(), column),
                   categories.end());
  return true;
}

/// Leaves out a first column without a name. It has row names that repeat, for example
/// because several tables were joined.
bool SuggestedCommand::ignore_first_column(
    const datasets::CsvGuesses& guesses) {
  const std::vector<Index>& unnamed = guesses.unnamed_features;
  return !unnamed.empty() && unnamed.front() == 0 && leave_out("0");
}

bool SuggestedCommand::ignore_identifiers(const datasets::Dataset& data) {
  if (!options_.csv.features.empty()) return false;
  if (std::exchange(has_ignored_identifiers_, true)) return false;
  const std::vector<Index> found = datasets::find_identifiers(data);
  if (static_cast<Index>(found.size()) == data.num_features()) return false;
  for (const Index feature : found) {
    leave_out(data.feature_names[static_cast<std::size_t>(feature)]);
  }
  return !found.empty();
}

/// Returns true if most rows have a text of their own as the default label, and another
/// column may be the label.
bool SuggestedCommand::has_label_of_rows(const datasets::Dataset& data) const {
  if (other_labels_.empty()) return false;
  const std::size_t num_texts = datasets::count_labels(data.label_texts).size();
  return datasets::hardly_repeat(num_texts, data.num_instances());
}

/// Takes labels for numbers to predict, or else another column for the label.
SuggestedCommand::State SuggestedCommand::change_label() {
  const bool may_be_numbers = are_labels_numbers_ && !options_.has_task &&
                              options_.params.task != Task::kRegression;
  if (!may_be_numbers) return choose_other_label();
  options_.params.task = Task::kRegression;
  return State::kChanged;
}

/// Takes another column with few values for the label, and leaves the label out.
SuggestedCommand::State SuggestedCommand::choose_other_label() {
  if (other_labels_.empty()) return State::kFailed;
  leave_out(options_.label);
  options_.label = other_labels_.front();
  other_labels_.erase(other_labels_.begin());
  if (!options_.has_task) options_.params.task = Task::kClassification;
  return State::kChanged;
}

/// Chooses flags for all columns of a file that cannot be read as it is; if that was
/// done before, leaves out the column that still cannot be read.
SuggestedCommand::State SuggestedCommand::learn(const CsvSurvey& survey,
                                                Index column) {
  keep_header(survey.has_header);
  if (options_.label.empty() && survey.chosen_label) {
    const auto found =
        std::find_if(survey.columns.begin(), survey.columns.end(),
                     [](const ColumnSurvey& one) { return one.is_label; });
    const Index label = found - survey.columns.begin();
    options_.label = flag_column(survey, label);
    other_labels_ = survey.guesses.other_labels;
    const bool is_empty =
        survey.columns[static_cast<std::size_t>(label)].values.empty();
    if (is_empty && !other_labels_.empty()) {
      static_cast<void>(choose_other_label());
    }
  }
  if (!std::exchange(has_learned_, true)) {
    choose_flags(survey);
    return State::kChanged;
  }
  if (!survey.columns[static_cast<std::size_t>(column)].is_feature) {
    return drop_rows();
  }
  return leave_out(flag_column(survey, column)) ? State::kChanged
                                                : State::kFailed;
}

/// Leaves out the rows that lack a label.
SuggestedCommand::State SuggestedCommand::drop_rows() {
  auto& missing = options_.csv.missing;
  if (missing == datasets::MissingRule::kDrop) return State::kFailed;
  missing = datasets::MissingRule::kDrop;
  return State::kChanged;
}

void SuggestedCommand::choose_flags(const CsvSurvey& survey) {
  bool has_missing = false;
  bool lacks_label = false;
  std::vector<std::string> missing_texts;
  choose_decimal(survey);
  for (std::size_t i = 0; i < survey.columns.size(); ++i) {
    const ColumnSurvey& column = survey.columns[i];
    const std::string name = flag_column(survey, static_cast<Index>(i));
    if (is_ignored(name)) continue;
    if (column.is_label || name == options_.label) {
      lacks_label = column.num_missing != 0;
    } else if (!column.is_feature) {
      continue;
    } else if ((column.num_with_commas != 0 && options_.csv.decimal == '.') ||
               is_no_feature(survey, column)) {
      leave_out(name);
    } else if (has_texts_for_missing(column)) {
      missing_texts.insert(missing_texts.end(), column.texts.begin(),
                           column.texts.end());
      has_missing = true;
    } else {
      has_missing = has_missing || column.num_missing != 0;
      if (column.num_texts == 0) continue;
      auto& one_hot = options_.csv.one_hot;
      if (column.num_numbers == 0) {
        one_hot.is_auto = true;
      } else {
        one_hot.columns.push_back(name);
      }
    }
  }
  set_missing_texts(missing_texts);
  if (options_.csv.missing != datasets::MissingRule::kRefuse) return;
  if (has_missing) options_.csv.missing = datasets::MissingRule::kMean;
  if (lacks_label) keep_labelled(survey);
}

/// Takes commas for decimal ones if some can be nothing else and no number has a
/// point.
void SuggestedCommand::choose_decimal(const CsvSurvey& survey) {
  bool has_commas = false;
  bool has_points = false;
  for (const ColumnSurvey& column : survey.columns) {
    has_commas = has_commas || column.num_decimal_commas != 0;
    has_points = has_points || column.num_with_points != 0;
  }
  const bool is_text_file = !survey.is_of_table;
  if (has_commas && !has_points && is_text_file) options_.csv.decimal = ',';
}

/// Leaves out rows without a label, and columns that would take most others too.
void SuggestedCommand::keep_labelled(const CsvSurvey& survey) {
  options_.csv.missing = datasets::MissingRule::kDrop;
  for (std::size_t i = 0; i < survey.columns.size(); ++i) {
    const ColumnSurvey& column = survey.columns[i];
    const bool is_sparse =
        column.is_feature && 4 * column.num_missing > survey.num_rows;
    if (is_sparse) leave_out(flag_column(survey, static_cast<Index>(i)));
  }
}

/// Adds texts to those that mean a missing value.
void SuggestedCommand::set_missing_texts(
    const std::vector<std::string>& texts) {
  const bool is_given = options_.csv.missing_texts.given().has_value();
  if (texts.empty() || is_given) return;
  options_.csv.missing_texts = with_more(options_.csv.missing_texts, texts);
}

/// Returns the value of --header; empty if the first row tells it also without some
/// columns. A name among the flags tells that it is a header.
std::string SuggestedCommand::header_flag() const {
  if (given_header_ != datasets::HeaderRule::kAuto || !has_header_) return "";
  if (*has_header_) return parse_int(options_.label) ? "yes" : "";
  const bool has_changed =
      !options_.csv.ignored.empty() || options_.csv.one_hot.is_on();
  return has_changed ? "no" : "";
}

/// Returns the flags that were chosen, with a space before each.
std::string SuggestedCommand::chosen_flags() const {
  std::string flags;
  const auto add = [&](const std::string& flag, const std::string& value) {
    if (value.empty()) return;
    const char separator = value.front() == '-' ? '=' : ' ';
    flags += " --" + flag + separator + shell_word(value);
  };
  add("header", header_flag());
  add("decimal", options_.csv.decimal == ',' ? "," : "");
  add("label", options_.targets.empty() ? options_.label
                                        : join_columns(options_.targets));
  add("task", options_.params.task == Task::kRegression ? "regression"
              : options_.has_task                       ? "classification"
                                                        : "");
  add("ignore", join_columns(options_.csv.ignored));
  std::vector<std::string> categories = options_.csv.one_hot.columns;
  if (options_.csv.one_hot.is_auto) {
    categories.insert(categories.begin(), "auto");
  }
  add("one-hot", join_columns(categories));
  add("na", join_columns(options_.csv.missing_texts.given().value_or(
                std::vector<std::string>())));
  if (options_.csv.missing != datasets::MissingRule::kRefuse) {
    add("missing", std::string(name_in(datasets::kMissingRuleNames,
                                       options_.csv.missing)));
  }
  return flags;
}

/// Returns the value of --layers for the features of the data, which flags for texts
/// may add to.
std::string SuggestedCommand::fitting_layers(const std::string& given) const {
  const std::vector<Index>& layers = options_.params.layers;
  if (layers.empty() || layers.front() == num_features_) return given;
  std::string text = std::to_string(num_features_);
  for (std::size_t i = 1; i < layers.size(); ++i) {
    text += ',' + std::to_string(layers[i]);
  }
  return text;
}

std::string SuggestedCommand::text() const {
  std::string command = "mlp train";
  for (const std::string& argument : line_.arguments) {
    command += ' ' + shell_word(argument);
  }
  for (const GivenOption& given : line_.options) {
    const std::string_view name = given.option->name;
    const bool is_chosen =
        std::find(std::begin(kChosenFlags), std::end(kChosenFlags), name) !=
        std::end(kChosenFlags);
    // A header that is given stays as it is.
    if (given.option->is_about_printing()) continue;
    if (is_chosen && name != "header") continue;
    command += ' ' + given.option->flag();
    if (given.option->is_switch()) continue;
    command += ' ' + shell_word(name == "layers" ? fitting_layers(given.value)
                                                 : given.value);
  }
  command += chosen_flags();
  if (lacks_labels_) command += " --labels LABELS";
  return command + " -o " + shell_word(model_name(line_.arguments.front()));
}

}  // namespace mlp::cli
