// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "encoding_flags.hpp"

#include <array>
#include <cstddef>

#include "../../core/error.hpp"
#include "../../datasets/csv/column_error.hpp"
#include "../../datasets/csv/column_survey.hpp"
#include "../../datasets/csv/layout/csv_header.hpp"
#include "../../datasets/reading/known_columns.hpp"
#include "column_advice.hpp"
#include "csv_flags.hpp"
#include "csv_notes.hpp"
#include "encoding_note.hpp"
#include "label_note.hpp"

namespace mlp::cli {

namespace {

/// What helps against an error that has a text.
struct Advice {
  std::string_view text;
  std::string_view in_training;
  std::string_view in_scoring;
};

/// The advice about missing values is the first one.
constexpr auto kAdvice = std::to_array<Advice>({
    {"fill in the missing value or remove the row",
     "; or add --missing drop or --missing mean",
     "; a model that was trained with --missing mean fills it in"},
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
  return datasets::detail::look_of_field(text) ==
             datasets::detail::FieldLook::kName &&
         (datasets::detail::starts_as_name(text) || text.front() == 'n' ||
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
            ? columns_to_ignore(*error.survey(), error.column())
            : flag_column(*error.survey(), error.column());
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

}  // namespace

void EncodingFlags::apply(datasets::CsvOptions& csv) const {
  csv.missing = missing;
  csv.one_hot = one_hot;
  csv.unknown = unknown;
}

std::optional<datasets::OneHotRule> parse_one_hot(std::string_view text) {
  const auto names = parse_columns(text);
  if (!names) return std::nullopt;
  datasets::OneHotRule rule;
  for (const std::string& name : *names) {
    if (name == "auto") {
      rule.is_auto = true;
    } else {
      rule.columns.push_back(name);
    }
  }
  return rule;
}

datasets::UnknownRule read_unknown_rule(const FlagReader& flags,
                                        datasets::UnknownRule preset) {
  return flags.choice("unknown", datasets::kUnknownRuleNames, preset);
}

EncodingFlags read_encoding_flags(const FlagReader& flags) {
  EncodingFlags encoding;
  encoding.missing = flags.choice("missing", datasets::kMissingRuleNames,
                                  datasets::MissingRule::kRefuse);
  encoding.one_hot =
      flags
          .parsed("one-hot", parse_one_hot,
                  "auto for all columns of texts, or names or 0-based indices "
                  "of columns, separated by commas; a name with a comma is in "
                  "double quotes")
          .value_or(datasets::OneHotRule());
  encoding.unknown = read_unknown_rule(flags);
  return encoding;
}

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
    note_missing(console, loaded, options.csv);
    for (const std::string& warning : datasets::warn_of_missing(
             loaded.missing, options.csv.missing, use == ReadFor::kScoring)) {
      console.warn(loaded.dataset.source + ": " +
                   with_encoding_advice(warning, use));
    }
    return loaded;
  } catch (const datasets::ColumnError& error) {
    note_assumptions(*error.survey(), error.file(), options.csv, use, console);
    throw with_column_advice(error, options.csv, use);
  } catch (const datasets::LabelError& error) {
    throw error.with_advice(": --label COL");
  } catch (const DataError& error) {
    const std::string sentence = with_encoding_advice(error.what(), use);
    if (sentence == error.what()) throw;
    throw DataError(sentence);
  }
}

}  // namespace mlp::cli
