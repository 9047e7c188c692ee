// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "suggested_command.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../datasets/csv/column_error.hpp"
#include "../../datasets/csv/column_rules.hpp"
#include "../../datasets/csv/column_survey.hpp"
#include "../../datasets/identifiers.hpp"
#include "../../datasets/label_index.hpp"
#include "../../datasets/load.hpp"
#include "../flags/column_advice.hpp"
#include "../train/ranks/data_exchange.hpp"
#include "../train/training_data.hpp"
#include "../train/training_labels.hpp"

namespace mlp::cli {

namespace {

using datasets::ColumnSurvey;
using datasets::CsvSurvey;

/// More different texts than this make too many features for a first training.
constexpr std::size_t kMostCategories = 200;

/// A column of numbers with at most this many other texts: these mean a missing value.
constexpr std::size_t kMostMissingTexts = 3;

/// Returns a word as a shell takes it.
std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || c < 0 ||
           std::string_view("_-./,=:+@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
    return word;
  }
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

/// Returns names as the value of a flag.
std::string join_columns(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    const bool is_quoted = name.find_first_of(",\"") != std::string::npos;
    list += (list.empty() ? "" : ",") + (is_quoted ? '"' + name + '"' : name);
  }
  return list;
}

/// Finds flags with which the data can be read.
class Suggestion {
 public:
  /// \param is_readable  the file was read with these options before
  Suggestion(TrainOptions options, const GlobalOptions& global,
             bool is_readable)
      : options_(std::move(options)),
        global_(global),
        is_readable_(is_readable) {
    global_.console = Console{true, false, true};
    has_task_ = options_.has_task;
  }

  /// \returns true if the data can be read and the labels be used
  [[nodiscard]] bool find() {
    constexpr int kMostTries = 40;
    for (int i = 0; i < kMostTries; ++i) {
      const Step step = improve();
      if (step != Step::kAgain) return step == Step::kDone;
    }
    return false;
  }

  /// Returns the flags that were chosen, with a space before each.
  [[nodiscard]] std::string flags() const {
    std::string text;
    const auto add = [&](const std::string& flag, const std::string& value) {
      if (value.empty()) return;
      const char separator = value.front() == '-' ? '=' : ' ';
      text += " --" + flag + separator + shell_word(value);
    };
    // Names among the flags tell that the first row is a header; indices do not.
    const bool has_index = parse_int(options_.label).has_value();
    const bool is_told = given_header_ != datasets::HeaderRule::kAuto;
    add("header", header_.empty() && has_header_ && has_index && !is_told
                      ? "yes"
                      : header_);
    add("decimal", options_.csv.decimal == ',' ? "," : "");
    add("label", options_.targets.empty() ? options_.label
                                          : join_columns(options_.targets));
    add("task", options_.params.task == Task::kRegression
                    ? "regression"
                    : (has_task_ ? "classification" : ""));
    add("ignore", join_columns(options_.csv.ignored));
    std::vector<std::string> categories = options_.encoding.one_hot.columns;
    if (options_.encoding.one_hot.is_auto) {
      categories.insert(categories.begin(), "auto");
    }
    add("one-hot", join_columns(categories));
    add("na", join_columns(options_.csv.missing_texts.given().value_or(
                  std::vector<std::string>())));
    if (options_.encoding.missing != datasets::MissingRule::kRefuse) {
      add("missing", std::string(name_in(datasets::kMissingRuleNames,
                                         options_.encoding.missing)));
    }
    return text;
  }

  /// The labels are in a file that is not known.
  [[nodiscard]] bool lacks_labels() const { return lacks_labels_; }

  /// The flags that flags() states.
  static constexpr std::string_view kChosen[] = {"header", "decimal", "label",
                                                 "task",   "ignore",  "one-hot",
                                                 "na",     "missing"};

 private:
  enum class Step { kDone, kAgain, kFailed };

  /// Tries to read the data, and changes a flag if that fails.
  Step improve() try {
    ++num_tries_;
    datasets::LoadedData loaded = read_data_file(options_, global_);
    keep_header(loaded.has_header);
    if (ignore_first_column(loaded.guesses)) return Step::kAgain;
    if (loaded.chosen_label && options_.label.empty()) {
      options_.label = flag_of(loaded, loaded.chosen_label->column,
                               loaded.chosen_label->name);
      other_labels_ = loaded.guesses.other_labels;
    }
    if (ignore_identifiers(loaded.dataset)) return Step::kAgain;
    return try_labels(loaded);
  } catch (const datasets::ColumnError& error) {
    if (error.survey() == nullptr) return Step::kFailed;
    return learn(*error.survey(), error.column());
  } catch (const DataError& error) {
    // The file was read before: it cannot be opened or read any more.
    if (is_readable_ && num_tries_ == 1) throw;
    const bool is_unclear_header =
        std::string_view(error.what()).find("told which one it is") !=
            std::string_view::npos &&
        header_.empty();
    if (!is_unclear_header) return Step::kFailed;
    options_.csv.header = datasets::HeaderRule::kYes;
    header_ = "yes";
    return Step::kAgain;
  }

  /// Returns a column as a flag names it.
  static std::string flag_of(const datasets::LoadedData& loaded, Index column,
                             const std::string& name) {
    const auto& names = loaded.dataset.feature_names;
    const bool is_unique =
        std::find(names.begin(), names.end(), name) == names.end();
    return is_plain_column(name) && is_unique ? name : std::to_string(column);
  }

  /// Keeps the first decision about the header: without some columns, the rows may
  /// tell less about it.
  void keep_header(bool has_header) {
    if (std::exchange(knows_header_, true)) return;
    has_header_ = has_header;
    given_header_ = options_.csv.header;
    if (has_header) options_.csv.header = datasets::HeaderRule::kYes;
  }

  /// Leaves out a first column without a name: row names that repeat, such as those of
  /// several tables that were joined.
  bool ignore_first_column(const datasets::CsvGuesses& guesses) {
    const std::vector<Index>& unnamed = guesses.unnamed_features;
    auto& ignored = options_.csv.ignored;
    const bool is_ignored =
        std::find(ignored.begin(), ignored.end(), "0") != ignored.end();
    if (unnamed.empty() || unnamed.front() != 0 || is_ignored) return false;
    ignored.insert(ignored.begin(), "0");
    return true;
  }

  bool ignore_identifiers(const datasets::Dataset& data) {
    if (!options_.csv.features.empty() || has_ignored_identifiers_)
      return false;
    has_ignored_identifiers_ = true;
    const std::vector<Index> found = datasets::find_identifiers(data);
    if (found.empty() ||
        static_cast<Index>(found.size()) == data.num_features()) {
      return false;
    }
    for (const Index feature : found) {
      const auto at = static_cast<std::size_t>(feature);
      options_.csv.ignored.push_back(data.feature_names[at]);
    }
    return true;
  }

  /// Looks for the classes of the labels.
  Step try_labels(datasets::LoadedData& loaded) {
    TrainingData data;
    data.train = std::move(loaded.dataset);
    lacks_labels_ = !data.train.has_labels();
    if (lacks_labels_) return Step::kDone;
    const bool are_numbers = data.train.label_texts.empty();
    if (has_label_of_rows(data.train)) return choose_other_label();
    try {
      const DataTotals totals = totals_of(data.train, options_.params.task);
      index_labels(data, totals, options_, global_.console);
      return Step::kDone;
    } catch (const DataError&) {
      if (options_.params.task == Task::kRegression)
        return choose_other_label();
      if (are_numbers && !has_task_) {
        options_.params.task = Task::kRegression;
        options_.has_task = true;
        return Step::kAgain;
      }
      return choose_other_label();
    }
  }

  /// Returns true if most rows have a text of their own as the default label, and
  /// another column may be the label.
  [[nodiscard]] bool has_label_of_rows(const datasets::Dataset& data) const {
    const std::size_t num_texts =
        datasets::count_labels(data.label_texts).size();
    return !other_labels_.empty() &&
           num_texts > datasets::detail::kMaxDistinct &&
           2 * num_texts > data.label_texts.size();
  }

  /// Takes another column with few values for the label, and leaves the label out.
  Step choose_other_label() {
    if (other_labels_.empty()) return Step::kFailed;
    options_.csv.ignored.push_back(options_.label);
    options_.label = other_labels_.front();
    other_labels_.erase(other_labels_.begin());
    if (!has_task_) {
      options_.params.task = Task::kClassification;
      options_.has_task = false;
    }
    return Step::kAgain;
  }

  /// Chooses flags for all columns of a file that cannot be read as it is; if that
  /// was done before, leaves out the column that still cannot be read.
  Step learn(const CsvSurvey& survey, Index column) {
    if (options_.label.empty() && survey.chosen_label) {
      options_.label = flag_column(survey, survey.chosen_label->column);
      other_labels_ = survey.guesses.other_labels;
      const auto label = static_cast<std::size_t>(survey.chosen_label->column);
      const bool is_empty = survey.columns[label].values.empty();
      if (is_empty && !other_labels_.empty()) {
        static_cast<void>(choose_other_label());
      }
    }
    keep_header(survey.has_header);
    if (!std::exchange(has_learned_, true)) {
      choose_flags(survey);
      return Step::kAgain;
    }
    const bool is_feature =
        survey.columns[static_cast<std::size_t>(column)].is_feature;
    if (!is_feature) return drop_rows();
    return leave_out(survey, column) ? Step::kAgain : Step::kFailed;
  }

  /// Leaves out the rows that lack a label.
  Step drop_rows() {
    auto& missing = options_.encoding.missing;
    if (missing == datasets::MissingRule::kDrop) return Step::kFailed;
    missing = datasets::MissingRule::kDrop;
    return Step::kAgain;
  }

  bool leave_out(const CsvSurvey& survey, Index column) {
    const std::string name = flag_column(survey, column);
    auto& ignored = options_.csv.ignored;
    if (std::find(ignored.begin(), ignored.end(), name) != ignored.end()) {
      return false;
    }
    ignored.push_back(name);
    auto& categories = options_.encoding.one_hot.columns;
    categories.erase(std::remove(categories.begin(), categories.end(), name),
                     categories.end());
    return true;
  }

  void choose_flags(const CsvSurvey& survey) {
    bool has_missing = false;
    bool lacks_label = false;
    std::vector<std::string> missing_texts;
    choose_decimal(survey);
    for (std::size_t i = 0; i < survey.columns.size(); ++i) {
      const ColumnSurvey& column = survey.columns[i];
      const auto at = static_cast<Index>(i);
      const bool is_label =
          flag_column(survey, at) == options_.label || column.is_label;
      lacks_label = lacks_label || (is_label && column.num_missing != 0);
      if (flag_column(survey, at) == options_.label) continue;
      if (!column.is_feature) continue;
      const bool has_thousands =
          column.num_with_commas != 0 && options_.csv.decimal == '.';
      if (has_thousands || is_left_out(survey, column)) {
        leave_out(survey, at);
        continue;
      }
      has_missing = has_missing || column.num_missing != 0;
      if (column.num_texts == 0) continue;
      if (has_texts_for_missing(column)) {
        missing_texts.insert(missing_texts.end(), column.texts.begin(),
                             column.texts.end());
        has_missing = true;
      } else if (column.num_numbers == 0) {
        options_.encoding.one_hot.is_auto = true;
      } else {
        options_.encoding.one_hot.columns.push_back(flag_column(survey, at));
      }
    }
    set_missing_texts(std::move(missing_texts));
    if (options_.encoding.missing != datasets::MissingRule::kRefuse) return;
    if (has_missing) options_.encoding.missing = datasets::MissingRule::kMean;
    if (lacks_label) keep_labelled(survey);
  }

  /// Takes commas for decimal ones if some can be nothing else and no number has a
  /// point.
  void choose_decimal(const CsvSurvey& survey) {
    bool has_commas = false;
    bool has_points = false;
    for (const ColumnSurvey& column : survey.columns) {
      has_commas = has_commas || column.num_decimal_commas != 0;
      has_points = has_points || column.num_with_points != 0;
    }
    if (has_commas && !has_points) options_.csv.decimal = ',';
  }

  /// Leaves out rows without a label, and columns that would take most others too.
  void keep_labelled(const CsvSurvey& survey) {
    options_.encoding.missing = datasets::MissingRule::kDrop;
    for (std::size_t i = 0; i < survey.columns.size(); ++i) {
      const ColumnSurvey& column = survey.columns[i];
      const bool is_sparse =
          column.is_feature && 4 * column.num_missing > survey.num_rows;
      if (is_sparse) leave_out(survey, static_cast<Index>(i));
    }
  }

  /// Adds texts to those that mean a missing value.
  void set_missing_texts(std::vector<std::string> texts) {
    const bool is_given = options_.csv.missing_texts.given().has_value();
    if (texts.empty() || is_given) return;
    texts.insert(texts.end(), datasets::kMissingTexts.begin(),
                 datasets::kMissingTexts.end());
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    options_.csv.missing_texts = datasets::MissingTexts(std::move(texts));
  }

  /// Returns true for a column that helps no training: without values, with other
  /// texts in most rows, with many categories, or with dates or prices.
  [[nodiscard]] static bool is_left_out(const CsvSurvey& survey,
                                        const ColumnSurvey& column) {
    if (has_texts_for_missing(column)) return false;
    if (is_useless(column, survey.num_rows)) return true;
    const bool has_signs = 2 * column.num_with_signs > column.num_texts;
    return column.num_texts != 0 && column.num_numbers < column.num_texts &&
           (column.values.size() > kMostCategories || has_signs);
  }

  /// Returns true for a column of numbers with a few texts such as "unknown".
  [[nodiscard]] static bool has_texts_for_missing(const ColumnSurvey& column) {
    const bool has_digits = std::any_of(
        column.texts.begin(), column.texts.end(), [](const std::string& text) {
          return text.find_first_of("0123456789") != text.npos;
        });
    return !has_digits && column.num_texts != 0 &&
           column.num_numbers > column.num_texts &&
           column.texts.size() <= kMostMissingTexts;
  }

  TrainOptions options_;
  GlobalOptions global_;
  bool is_readable_;
  int num_tries_ = 0;
  std::string header_;
  bool knows_header_ = false;
  bool has_header_ = false;
  datasets::HeaderRule given_header_ = datasets::HeaderRule::kAuto;
  std::vector<std::string> other_labels_;
  bool has_task_ = false;
  bool has_learned_ = false;
  bool has_ignored_identifiers_ = false;
  bool lacks_labels_ = false;
};

/// Returns the name of the model file for a data file.
std::string model_name(const std::string& data) {
  std::string name = data.substr(0, data.find_last_not_of('/') + 1);
  name = name.substr(name.find_last_of('/') + 1);
  if (name.size() > 3 && name.substr(name.size() - 3) == ".gz") {
    name.resize(name.size() - 3);
  }
  const std::size_t dot = name.find_last_of('.');
  if (dot != name.npos && dot != 0) name.resize(dot);
  const bool is_path = !name.empty() && name != "-" &&
                       name.find_first_of("*?[") == std::string::npos;
  return (is_path ? name : std::string("model")) + ".json";
}

}  // namespace

std::optional<std::string> suggest_command(const CommandLine& line,
                                           const TrainOptions& options,
                                           const GlobalOptions& global,
                                           bool is_readable) {
  Suggestion suggestion(options, global, is_readable);
  if (!suggestion.find()) return std::nullopt;
  std::string command = "mlp train";
  for (const std::string& argument : line.arguments) {
    command += ' ' + shell_word(argument);
  }
  for (const GivenOption& given : line.options) {
    const auto& chosen = Suggestion::kChosen;
    const bool is_chosen = std::find(std::begin(chosen), std::end(chosen),
                                     given.option->name) != std::end(chosen);
    if (given.option->is_global()) continue;
    // A header that is given stays as it is.
    if (is_chosen && given.option->name != "header") continue;
    command += ' ' + given.option->flag();
    if (!given.option->is_switch()) command += ' ' + shell_word(given.value);
  }
  command += suggestion.flags();
  if (suggestion.lacks_labels()) command += " --labels LABELS";
  return command + " -o " + shell_word(model_name(line.arguments.front()));
}

}  // namespace mlp::cli
