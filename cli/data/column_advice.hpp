// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../../datasets/csv/column_error.hpp"
#include "../../datasets/csv/column_survey.hpp"
#include "../../datasets/csv/csv_options.hpp"
#include "../../datasets/missing_texts.hpp"

namespace mlp::cli {

/// Returns true for names that a shell and a list of columns take as they are.
[[nodiscard]] bool is_plain_column(const std::string& name);

/// Returns true for a column of numbers with a few texts such as "unknown".
[[nodiscard]] bool has_texts_for_missing(const datasets::ColumnSurvey& column);

/// Returns more texts that mean a missing value, beside those that do already.
[[nodiscard]] datasets::MissingTexts with_more(
    const datasets::MissingTexts& missing,
    const std::vector<std::string>& texts);

/// Returns the flags that take the texts of a column for missing values.
///
/// \pre has_texts_for_missing()
[[nodiscard]] std::string missing_flag(const datasets::ColumnSurvey& column,
                                       const datasets::CsvOptions& options);

/// Returns true if a column has no value, values that cannot be read, or texts that are no
/// categories.
[[nodiscard]] bool is_useless(const datasets::ColumnSurvey& column,
                              Index num_rows);

/// Returns a column as the value of a flag: its name, or its index if the name
/// needs quotes.
[[nodiscard]] std::string flag_column(const datasets::CsvSurvey& survey,
                                      Index column);

/// Returns the columns for --ignore if the texts of one differ too much to be
/// categories: all columns of this kind, or else the column itself.
[[nodiscard]] std::vector<std::string> columns_to_ignore(
    const datasets::CsvSurvey& survey, Index column);

/// Returns the flags that help training against a text, and names the other
/// columns that have texts or missing values.
///
/// \param options  with which the file was read
[[nodiscard]] std::string text_advice(const datasets::ColumnError& error,
                                      const datasets::CsvOptions& options);

/// Returns the other columns with texts or missing values, as the end of a
/// message; empty if there are none.
[[nodiscard]] std::string other_columns(const datasets::ColumnError& error,
                                        const datasets::CsvOptions& options);

/// Describes each column of a file that cannot be read as it is.
[[nodiscard]] std::string format_survey(const datasets::CsvSurvey& survey);

}  // namespace mlp::cli
