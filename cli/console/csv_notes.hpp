// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../../datasets/csv/csv_guesses.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "console.hpp"

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
  for (const Index index : guesses.index_columns) {
    console.note(column(index) +
                 " has no name and numbers the rows; it is left out");
  }
  constexpr std::size_t kMaxNotes = 3;
  for (std::size_t i = 0; i < guesses.unnamed_features.size(); ++i) {
    if (i == kMaxNotes) break;
    const Index index = guesses.unnamed_features[i];
    console.note(
        column(index) +
        " has no name and does not number the rows 0, 1, 2, ...; it is "
        "a feature; --ignore " +
        std::to_string(index) + " leaves it out");
  }
  if (guesses.repeated_name) {
    console.note("more than one feature of " + source + " is named " +
                 datasets::in_quotes(*guesses.repeated_name) +
                 "; features are known by their positions instead of names");
  }
}

/// Notes everything that was assumed about a CSV file.
inline void note_guesses(const Console& console, const std::string& source,
                         const datasets::CsvGuesses& guesses) {
  note_header(console, source, guesses);
  note_columns(console, source, guesses);
}

}  // namespace mlp::cli
