// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "data_file.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "../../core/error.hpp"
#include "../../datasets/csv/column_error.hpp"
#include "../../datasets/csv/column_survey.hpp"
#include "../../datasets/csv/layout/csv_header.hpp"
#include "../../datasets/load/data_files.hpp"
#include "../../datasets/load/targets.hpp"
#include "../../datasets/reading/known_columns.hpp"
#include "../console/shell_word.hpp"
#include "column_advice.hpp"
#include "data_notes.hpp"

namespace mlp::cli {

namespace {

/// The flags that help against an error, which is found by a text in it.
struct Advice {
  std::string_view text;
  std::string_view in_training;
  std::string_view in_scoring;
};

/// The advice about missing values is the first one.
constexpr auto kAdvice = std::to_array<Advice>({
    {"fill in the missing value or remove the row",
     "; or add --missing drop or --missing mean",
     "; a model that standardises its features, or that was trained with "
     "--missing mean, fills it in"},
    {"leave the column out", ": --ignore COL", ""},
    {"choose other texts for missing values", ": --na TEXTS", ""},
    {"choose the comma as the decimal separator", ": --decimal ,",
     ": --decimal ,"},
    {"; expected one kind; correct the column", ": --one-hot COL", ""},
    {"unknown category", "; --unknown ignore takes it as none of them",
     "; --unknown ignore takes it as none of them"},
    {"expected to be told which one it is", ": --header yes or --header no",
     ": --header yes or --header no"},
    {"expected a number in column",
     "; if the column has categories, add --one-hot auto", ""},
});

/// Returns false for advice about texts if the error is about a wrong number.
bool is_fitting(const Advice& advice, const std::string& sentence) {
  constexpr std::string_view kGot = ", got '";
  if (&advice != &kAdvice.back()) return true;
  const std::size_t got = sentence.find(kGot);
  if (got == sentence.npos) return false;
  std::string_view text = std::string_view(sentence).substr(got + kGot.size());
  text = text.substr(0, text.find('\''));
  return datasets::look_of_field(text) == datasets::FieldLook::kName &&
         (datasets::starts_as_name(text) || text.front() == 'n' ||
          text.front() == 'N' || text.front() == 'i' || text.front() == 'I');
}

/// Returns an error about a column with the flags that would help.
datasets::ColumnError with_column_advice(const datasets::ColumnError& error,
                                         const datasets::CsvOptions& csv,
                                         ReadFor use) {
  const std::string sentence = error.what();
  const auto says = [&](const char* text) {
    return sentence.find(text) != sentence.npos;
  };
  if (use == ReadFor::kTraining && csv.columns.empty()) {
    if (is_fitting(kAdvice.back(), sentence) &&
        says("expected a number in column") && !says("fill in")) {
      return error.with_advice(text_advice(error, csv) +
                               other_columns(error, csv));
    }
    const std::string column =
        says("leave the column out")
            ? shell_word(join_columns(
                  columns_to_ignore(*error.survey(), error.column())))
            : flag_column(*error.survey(), error.column());
    if (says("; expected one kind") && says("texts for missing values")) {
      const auto at = static_cast<std::size_t>(error.column());
      return error.with_advice(": " +
                               missing_flag(error.survey()->columns[at], csv) +
                               " or --one-hot " + column);
    }
    const std::string advised = with_encoding_advice(sentence, use, column);
    return error.with_advice(
        advised.substr(sentence.size()) +
        (says("fill in") ? other_columns(error, csv) : ""));
  }
  return error.with_advice(
      with_encoding_advice(sentence, use).substr(sentence.size()));
}

/// Notes what the reader assumed before it met an error.
void note_assumptions(const datasets::CsvSurvey& survey,
                      const std::string& source,
                      const datasets::CsvOptions& csv, ReadFor use,
                      const Console& console) {
  note_guesses(console, source, survey.guesses);
  if (use != ReadFor::kTraining) return;
  datasets::LoadedData seen;
  seen.chosen_label = survey.chosen_label;
  seen.guesses = survey.guesses;
  if (seen.chosen_label) note_label(console, seen, csv.label);
}

/// Loads the data files, and says who expects features that it lacks.
datasets::LoadedData load_for(const DataOptions& options,
                              const datasets::LoadOptions& load,
                              const Console& console) {
  try {
    return load_with_targets(options.data, options, load, console);
  } catch (const DataError& error) {
    const std::string sentence = error.what();
    const bool lacks_feature =
        options.warm_start &&
        sentence.find("there is no column") != std::string::npos;
    if (!lacks_feature) throw;
    throw DataError(sentence +
                    "; the weights of --warm-start belong to these features");
  }
}

/// Expects the label and the features of the model of --warm-start, by their names
/// if it has names: its weights belong to them.
void expect_warm_columns(datasets::CsvOptions& csv, const Model& model) {
  const datasets::KnownLabel label = model.known_label();
  if (label != datasets::KnownLabel()) csv.known_label = label;
  csv.feature_names = model.input_columns().empty()
                          ? model.feature_names()
                          : datasets::column_names(model.input_columns());
}

}  // namespace

std::string with_encoding_advice(const std::string& sentence, ReadFor use,
                                 const std::string& column) {
  for (const Advice& advice : kAdvice) {
    const bool is_found = sentence.find(advice.text) != sentence.npos;
    if (!is_found || !is_fitting(advice, sentence)) continue;
    // A label or a weight is never filled in.
    if (sentence.find("expected a weight") != sentence.npos) return sentence;
    const bool is_missing = &advice == kAdvice.data();
    if (is_missing && sentence.find("expected a label") != sentence.npos) {
      return sentence +
             (use == ReadFor::kTraining ? "; or add --missing drop" : "");
    }
    std::string text(use == ReadFor::kTraining ? advice.in_training
                                               : advice.in_scoring);
    const std::size_t at = text.find("COL");
    if (at != text.npos) text.replace(at, 3, column);
    return sentence + text;
  }
  return sentence;
}

datasets::LoadedData load_table(const std::vector<std::string>& paths,
                                const datasets::LoadOptions& options,
                                ReadFor use, const Console& console) {
  try {
    datasets::LoadedData loaded = datasets::load(paths, options);
    note_stored(console, loaded, options.store);
    note_left_out(console, loaded);
    note_missing(console, loaded, options.csv);
    for (const std::string& warning : datasets::warn_of_missing(
             loaded.missing, options.csv.missing,
             use == ReadFor::kScoring || options.csv.marks_missing)) {
      console.warn(loaded.dataset.source + ": " +
                   with_encoding_advice(warning, use));
    }
    return loaded;
  } catch (const datasets::ColumnError& error) {
    note_assumptions(*error.survey(), error.file(), options.csv, use, console);
    throw with_column_advice(error, options.csv, use);
  } catch (const datasets::LabelError& error) {
    throw error.with_advice(": --label COL");
  } catch (const ResourceError& error) {
    const std::string sentence = error.what();
    if (!sentence.starts_with(options.store.folder + ": ")) throw;
    throw ResourceError(sentence + "; --cache-dir FOLDER chooses another");
  } catch (const DataError& error) {
    const std::string sentence = with_encoding_advice(error.what(), use);
    if (sentence == error.what()) throw;
    throw DataError(sentence);
  }
}

datasets::LoadOptions load_options(const DataOptions& options,
                                   int num_threads) {
  datasets::LoadOptions load;
  load.csv = options.csv;
  load.csv.num_threads = num_threads;
  load.csv.label = options.label;
  load.csv.weight = options.weight;
  load.labels_file = options.labels_file;
  load.store = options.store;
  if (!options.targets.empty()) {
    datasets::expect_targets(load.csv, options.targets);
  }
  return load;
}

datasets::LoadedData load_with_targets(const std::vector<std::string>& paths,
                                       const DataOptions& options,
                                       const datasets::LoadOptions& load,
                                       const Console& console) {
  datasets::LoadedData loaded =
      load_table(paths, load, ReadFor::kTraining, console);
  if (!options.targets.empty()) datasets::take_targets(loaded);
  return loaded;
}

datasets::LoadedData read_data_file(const DataOptions& options,
                                    const GlobalOptions& global) {
  datasets::LoadOptions load = load_options(options, global.num_threads);
  if (options.warm_start) expect_warm_columns(load.csv, *options.warm_start);
  const auto columns = columns_of_warm_start(options);
  if (!columns.empty()) load.csv.use_columns(columns);
  datasets::LoadedData loaded = load_for(options, load, global.console);
  note_guesses(global.console, loaded);
  note_label(global.console, loaded, options.label);
  warn_of_identifiers(global.console, loaded.dataset);
  return loaded;
}

std::vector<datasets::InputColumn> columns_of_warm_start(
    const DataOptions& options) {
  if (!options.warm_start || options.csv.asks_for_columns()) return {};
  return options.warm_start->input_columns();
}

void check_warm_columns(const std::string& source,
                        const std::vector<datasets::InputColumn>& read,
                        const DataOptions& options) {
  if (!options.warm_start) return;
  const auto& columns = options.warm_start->input_columns();
  if (columns.empty() || datasets::has_same_categories(columns, read)) return;
  throw DataError(
      source,
      "the categories differ from those of the model of "
      "--warm-start; leave out --one-hot and --missing to use those "
      "of the model");
}

void add_data_inputs(OutputFiles& files, const std::string& name,
                     const std::string& path) {
  if (path.empty()) return;
  try {
    for (const std::string& file : datasets::find_data_files({path}).paths) {
      files.add_input(name, file);
    }
  } catch (const DataError&) {
    files.add_input(name, path);
  }
}

}  // namespace mlp::cli
