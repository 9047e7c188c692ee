// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../../core/types.hpp"
#include "../../datasets/csv/layout/csv_guesses.hpp"
#include "../../datasets/dataset.hpp"
#include "../../datasets/identifiers.hpp"
#include "../../datasets/load.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "../console/console.hpp"

namespace mlp::cli {

/// Notes what was assumed about the first row of a CSV file.
inline void note_header(const Console& console, const std::string& source,
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
inline void note_columns(const Console& console, const std::string& source,
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
}

/// Warns of named features that are probably identifiers, such as the number of a row:
/// a model that uses them is wrong on new rows.
inline void warn_of_identifiers(const Console& console,
                                const datasets::Dataset& data) {
  for (const Index feature : datasets::find_identifiers(data)) {
    const std::string& name =
        data.feature_names[static_cast<std::size_t>(feature)];
    console.warn(
        "column " + datasets::in_quotes(name) +
        " has a different integer in each row, sorted or without gaps, so it "
        "is "
        "probably an identifier, which says nothing about new rows; --ignore " +
        (name.find(' ') == name.npos ? name : datasets::in_quotes(name)) +
        " leaves it out");
  }
}

/// Notes the lines of a CSV file that are no rows.
inline void note_empty_lines(const Console& console, const std::string& source,
                             Index num_lines) {
  if (num_lines == 0) return;
  console.note(source + ": " + std::to_string(num_lines) + " empty line" +
               (num_lines == 1 ? " is" : "s are") + " skipped");
}

/// Notes everything that was assumed about a CSV file.
inline void note_guesses(const Console& console, const std::string& source,
                         const datasets::CsvGuesses& guesses) {
  note_header(console, source, guesses);
  note_columns(console, source, guesses);
}

/// Notes everything that was assumed about a data file.
inline void note_guesses(const Console& console,
                         const datasets::LoadedData& loaded) {
  note_guesses(console, loaded.dataset.source, loaded.guesses);
  note_empty_lines(console, loaded.dataset.source, loaded.num_empty_lines);
}

}  // namespace mlp::cli
