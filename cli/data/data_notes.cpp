// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "data_notes.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "../../datasets/csv/number_advice.hpp"
#include "../../datasets/identifiers.hpp"
#include "../../datasets/left_out_columns.hpp"
#include "../../datasets/missing_values.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "../console/shell_word.hpp"
#include "column_advice.hpp"
#include "data_options.hpp"

namespace mlp::cli {

namespace {

/// Notes what was assumed about the first row of a CSV file.
void note_header(const Console& console, const std::string& source,
                 const datasets::CsvGuesses& guesses) {
  const std::string row = "the first row of " + source;
  if (guesses.is_number_header) {
    console.note(row +
                 " is numbers and is taken for the names of the columns; "
                 "--header no reads it as data");
  }
  if (guesses.is_number_row) {
    console.note(row +
                 " reads like names 0, 1, 2, ... but is taken for data; "
                 "--header yes reads it as names");
  }
  if (guesses.number_as_name) {
    console.note(row +
                 " is taken for the names of the columns, although it "
                 "has a number in column " +
                 std::to_string(*guesses.number_as_name) +
                 "; --header no reads it as data");
  }
}

/// Notes what was assumed about the columns of a CSV file.
void note_columns(const Console& console, const std::string& source,
                  const datasets::CsvGuesses& guesses) {
  const auto column = [&](Index index) {
    return "column " + std::to_string(index) + " of " + source;
  };
  for (const Index index : guesses.row_names) {
    console.note(
        column(index) +
        " has no name and a different value in each row, so it has the "
        "names of the rows; it is left out unless --features lists it");
  }
  constexpr std::size_t kMaxNotes = 3;
  for (std::size_t i = 0; i < guesses.unnamed_features.size(); ++i) {
    if (i == kMaxNotes) break;
    const Index index = guesses.unnamed_features[i];
    console.note(column(index) + " has no name; it is a feature; --ignore " +
                 std::to_string(index) + " leaves it out");
  }
  if (guesses.repeated_name) {
    console.note("more than one feature of " + source + " is named " +
                 datasets::in_quotes(*guesses.repeated_name) +
                 "; only their order tells them apart");
  }
  if (guesses.name_of_label_and_feature) {
    console.note(
        "the label and a feature of " + source + " are both named " +
        datasets::in_quotes(*guesses.name_of_label_and_feature) +
        ", so the model cannot score this file; rename one of them, or "
        "leave the feature out by its index: --ignore INDEX");
  }
}

/// Says how many categories of a column have a feature: "(3)" or "(3 and others)".
std::string describe_categories(const datasets::InputColumn& column) {
  const bool has_other = column.extra == datasets::ExtraFeature::kOther;
  return '(' + std::to_string(column.categories.size()) +
         (has_other ? " and others)" : ")");
}

/// Lists the first texts, and counts the rest.
std::string list_first(const std::vector<std::string>& texts) {
  constexpr std::size_t kMaxShown = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(texts.size(), kMaxShown); ++i) {
    list += (i == 0 ? "" : ", ") + texts[i];
  }
  if (texts.size() <= kMaxShown) return list;
  return list + " and " + std::to_string(texts.size() - kMaxShown) + " more";
}

/// Says how the missing values of a file are handled, as the end of a sentence.
std::string describe_missing(const datasets::MissingValues& missing,
                             const datasets::CsvOptions& csv) {
  if (missing.num_values == 0) return "no value is missing";
  if (csv.missing == datasets::MissingRule::kDrop) {
    return std::to_string(missing.num_rows) + " of " +
           datasets::count_of(missing.num_all_rows, "row") +
           " left out, because of missing values; most in " + missing.most +
           " (" + std::to_string(missing.num_most) + ')';
  }
  const std::string_view of_training =
      csv.marks_missing
          ? "the mean of the training rows, or a category of their own"
          : "the mean, or the most frequent category, of the training rows";
  return datasets::describe_replaced(
      missing, csv.columns.empty() ? of_training : datasets::kValuesOfModel);
}

}  // namespace

void note_guesses(const Console& console, const std::string& source,
                  const datasets::CsvGuesses& guesses) {
  note_header(console, source, guesses);
  note_columns(console, source, guesses);
}

void note_guesses(const Console& console, const datasets::LoadedData& loaded) {
  note_guesses(console, loaded.dataset.source, loaded.guesses);
  if (loaded.num_empty_lines == 0) return;
  console.note(loaded.dataset.source + ": " +
               std::to_string(loaded.num_empty_lines) + " empty line" +
               (loaded.num_empty_lines == 1 ? " is" : "s are") + " skipped");
}

void warn_of_identifiers(const Console& console,
                         const datasets::Dataset& data) {
  for (const Index feature : datasets::find_identifiers(data)) {
    const std::string& name =
        data.feature_names[static_cast<std::size_t>(feature)];
    console.warn(datasets::describe_identifier(name) + "; --ignore " +
                 shell_word(join_columns({name})) + " leaves it out");
  }
}

void note_left_out(const Console& console, const datasets::LoadedData& loaded) {
  if (!loaded.left_out_folders.empty()) {
    console.note(datasets::describe_left_out_folders(loaded));
  }
  for (const datasets::LeftOutColumn& column : loaded.left_out) {
    const bool has_texts = column.reason == datasets::LeftOutReason::kTexts;
    const bool numbers_rows =
        column.reason == datasets::LeftOutReason::kRowNumber;
    const std::string flag = is_plain_column(column.name)
                                 ? column.name
                                 : std::to_string(column.column);
    console.note(
        loaded.dataset.source + ": " + column.sentence + ", and is left out" +
        (has_texts      ? "; --one-hot " + flag + " takes it as categories"
         : numbers_rows ? "; --features takes it"
                        : "") +
        (loaded.has_header ? ""
                           : "; later commands on files without a header need "
                             "--ignore " +
                                 flag));
  }
}

void note_store(const Console& console, const datasets::Dataset& data,
                const datasets::StoreNote& note) {
  const double used =
      datasets::memory_beside_file(static_cast<double>(data.num_instances())) +
      note.sparse_bytes;
  const std::string place =
      note.sparse_bytes > 0.0
          ? "without their zeros"
          : "in a file in " + note.folder + " while the program runs";
  const std::string reason = note.needed_bytes > note.allowed_bytes
                                 ? " of memory and " +
                                       format_bytes(note.allowed_bytes) +
                                       " may be used"
                                 : " of memory, nearly all of it for zeros";
  console.note(data.source + ": the data need " +
               format_bytes(note.needed_bytes) + reason +
               ", so the features are kept " + place + "; about " +
               format_bytes(used) + " of memory are used");
}

void note_stored(const Console& console, const datasets::LoadedData& loaded,
                 const datasets::StoreRule& rule) {
  const datasets::Dataset& data = loaded.dataset;
  const double bytes = sizeof(double) *
                       static_cast<double>(data.num_features()) *
                       static_cast<double>(data.num_instances());
  if (!loaded.stored) {
    if (rule.memory_bytes == 0.0 || bytes <= rule.memory_bytes) return;
    console.note(
        "--memory has no effect: " + data.source +
        " is read into memory as a whole, as arrays in Fortran's order are, "
        "and texts whose lines end with CR alone");
    return;
  }
  note_store(console, data, *loaded.stored);
}

void note_missing(const Console& console, const datasets::LoadedData& loaded,
                  const datasets::CsvOptions& csv) {
  const datasets::MissingValues& missing = loaded.missing;
  const std::string start = loaded.dataset.source + ": ";
  const bool is_asked =
      csv.missing != datasets::MissingRule::kRefuse && !csv.is_missing_default;
  if (is_asked || missing.num_values != 0) {
    console.note(start + describe_missing(missing, csv));
  }
  if (missing.num_unknown != 0) {
    console.note(start + datasets::describe_unknown(missing, csv.columns));
  }
  for (const auto& warning : datasets::warn_of_unknown(missing, csv.columns)) {
    console.warn(start + warning);
  }
}

void note_encoding(const Console& console,
                   const std::vector<datasets::InputColumn>& columns,
                   bool is_one_hot) {
  if (is_one_hot && !datasets::has_categories(columns)) {
    console.note("--one-hot has no effect: no column has texts");
  }
  std::vector<std::string> encoded;
  std::vector<std::string> marked;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string name = columns[i].name.empty()
                                 ? std::to_string(i)
                                 : datasets::in_quotes(columns[i].name);
    if (columns[i].kind == datasets::ColumnKind::kCategory) {
      encoded.push_back(name + ' ' + describe_categories(columns[i]));
      const std::string signs =
          datasets::detail::describe_signs(columns[i].categories);
      if (!signs.empty()) console.note("column " + name + ' ' + signs);
    } else if (columns[i].extra == datasets::ExtraFeature::kMissing) {
      marked.push_back(name);
    }
  }
  const std::string become =
      "; " + datasets::count_of(static_cast<Index>(columns.size()), "column") +
      " become " +
      datasets::count_of(datasets::count_features(columns), "feature");
  if (!encoded.empty()) {
    console.note("one-hot: each category is a feature, of the columns " +
                 list_first(encoded) + become);
  }
  if (!marked.empty()) {
    console.note("a feature says where a value is missing, of the columns " +
                 list_first(marked) + (encoded.empty() ? become : ""));
  }
}

void note_label(const Console& console, const datasets::LoadedData& loaded,
                const std::string& label) {
  const auto& chosen = loaded.chosen_label;
  if (chosen && chosen->is_default) {
    console.note(
        "the label is column " + std::to_string(chosen->column) +
        (chosen->name.empty() ? std::string() : " ('" + chosen->name + "')") +
        "; --label COL chooses another" +
        (loaded.guesses.other_labels.empty()
             ? ""
             : ", such as " +
                   datasets::quoted_list(loaded.guesses.other_labels)));
  }
  if (!chosen && !label.empty()) {
    console.note("--label has no effect: " + loaded.dataset.source +
                 " has no columns with names or numbers to choose from");
  }
}

}  // namespace mlp::cli
