// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "column_advice.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../core/number_text.hpp"
#include "../../core/utf8.hpp"
#include "../../datasets/input_column.hpp"
#include "../../datasets/left_out_columns.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "../console/shell_word.hpp"
#include "../console/text_table.hpp"
#include "data_options.hpp"

namespace mlp::cli {

namespace {

using datasets::ColumnSurvey;
using datasets::CsvOptions;
using datasets::CsvSurvey;

std::string kind_of(const ColumnSurvey& column) {
  const auto count = [](Index number, const char* what) {
    return std::to_string(number) + ' ' + what + (number == 1 ? "" : "s");
  };
  if (!column.what.empty()) return column.what;
  if (column.values.empty()) return "no value";
  if (column.num_texts + column.num_with_commas == 0) return "numbers";
  if (column.num_with_commas != 0) {
    return count(column.num_with_commas, "number") + " with commas";
  }
  if (column.num_numbers != 0) {
    return count(column.num_numbers, "number") + " and " +
           count(column.num_texts, "text");
  }
  const bool is_large = column.values.size() > 1000;
  const std::string size =
      is_large ? "more than 1000" : std::to_string(column.values.size());
  return size + " different text" + (column.values.size() == 1 ? "" : "s");
}

/// Returns "; column 'a' has WHAT" or "; columns 'a', 'b' have WHAT".
std::string list_columns(const std::vector<std::string>& names,
                         const std::string& what) {
  if (names.empty()) return "";
  return (names.size() == 1 ? "; column " : "; columns ") +
         datasets::quoted_list(names) +
         (names.size() == 1 ? " has " : " have ") + what;
}

std::string name_of(const CsvSurvey& survey, std::size_t column) {
  return survey.has_header ? survey.columns[column].name
                           : std::to_string(survey.columns[column].index);
}

}  // namespace

bool is_plain_column(const std::string& name) {
  const auto is_plain_letter = [](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_digit = c >= '0' && c <= '9';
    return is_letter || is_digit || c == '_' || c == '.' || c == '-' ||
           !is_ascii_byte(c);
  };
  return !name.empty() && name.front() != '-' && !parse_double(name) &&
         std::all_of(name.begin(), name.end(), is_plain_letter);
}

bool has_texts_for_missing(const ColumnSurvey& column) {
  return datasets::may_mean_missing(column.texts, column.num_texts,
                                    column.num_numbers);
}

datasets::MissingTexts with_more(const datasets::MissingTexts& missing,
                                 const std::vector<std::string>& texts) {
  std::vector<std::string> all =
      missing.given().value_or(std::vector<std::string>(
          datasets::kMissingTexts.begin(), datasets::kMissingTexts.end()));
  all.insert(all.end(), texts.begin(), texts.end());
  return datasets::MissingTexts(std::move(all));
}

std::string missing_flag(const ColumnSurvey& column,
                         const CsvOptions& options) {
  const datasets::MissingTexts all = with_more(
      options.missing_texts, {column.texts.begin(), column.texts.end()});
  return "--na " + shell_word(join_columns(*all.given())) +
         (options.missing == datasets::MissingRule::kRefuse ? " --missing mean"
                                                            : "");
}

bool is_useless(const ColumnSurvey& column, Index num_rows) {
  const std::size_t size = column.values.size();
  if (!column.is_feature || num_rows == 0) return false;
  if (!column.what.empty()) return true;
  if (column.num_missing == num_rows) return true;
  if (column.num_texts == 0) return false;
  return size > datasets::kMaxCategories ||
         datasets::hardly_repeat(size, num_rows);
}

std::string flag_column(const CsvSurvey& survey, Index column) {
  const auto& columns = survey.columns;
  const ColumnSurvey& chosen = columns[static_cast<std::size_t>(column)];
  const std::string& name = chosen.name;
  const auto is_same = [&](const auto& other) { return other.name == name; };
  const bool is_name =
      survey.has_header && is_plain_column(name) &&
      std::count_if(columns.begin(), columns.end(), is_same) == 1;
  return is_name ? name : std::to_string(chosen.index);
}

std::vector<std::string> columns_to_ignore(const CsvSurvey& survey,
                                           Index column) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < survey.columns.size(); ++i) {
    const bool is_this = static_cast<Index>(i) == column;
    if (!is_this && !is_useless(survey.columns[i], survey.num_rows)) continue;
    list.push_back(flag_column(survey, static_cast<Index>(i)));
  }
  return list;
}

std::string text_advice(const datasets::ColumnError& error,
                        const CsvOptions& options) {
  const CsvSurvey& survey = *error.survey();
  const std::string name = flag_column(survey, error.column());
  const ColumnSurvey& column =
      survey.columns[static_cast<std::size_t>(error.column())];
  std::string advice;
  if (options.label.empty() && survey.chosen_label) {
    advice = "; if it is the label: --label " + name;
  }
  advice += "; to leave it out: --ignore " + name;
  if (is_useless(column, survey.num_rows)) return advice;
  if (has_texts_for_missing(column)) {
    advice += "; if it means a missing value: " + missing_flag(column, options);
  }
  std::vector<std::string> categories = options.one_hot.columns;
  if (options.one_hot.is_auto || column.num_numbers == 0) {
    categories.insert(categories.begin(), "auto");
  }
  if (column.num_numbers != 0) categories.push_back(name);
  return advice + "; if it has categories: --one-hot " +
         shell_word(join_columns(categories));
}

std::string other_columns(const datasets::ColumnError& error,
                          const CsvOptions& options) {
  const CsvSurvey& survey = *error.survey();
  std::vector<std::string> with_texts;
  std::vector<std::string> with_missing;
  for (std::size_t i = 0; i < survey.columns.size(); ++i) {
    const ColumnSurvey& column = survey.columns[i];
    const bool is_this = static_cast<Index>(i) == error.column();
    if (is_this || !column.is_feature) continue;
    const bool has_texts = column.num_texts != 0 && !options.one_hot.is_on();
    if (has_texts) with_texts.push_back(name_of(survey, i));
    const bool lacks = column.num_missing != 0 &&
                       options.missing == datasets::MissingRule::kRefuse;
    if (lacks) with_missing.push_back(name_of(survey, i));
  }
  return list_columns(with_texts, "texts") +
         list_columns(with_missing, "missing values");
}

std::string format_survey(const CsvSurvey& survey) {
  TextTable table({"column", "values", "missing", "role"});
  for (const ColumnSurvey& column : survey.columns) {
    const std::string name = survey.has_header ? " " + column.name : "";
    table.add({std::to_string(column.index) + name, kind_of(column),
               std::to_string(column.num_missing),
               column.is_label     ? "label"
               : column.is_feature ? "feature"
                                   : "left out"});
  }
  return "rows         " +
         std::string(survey.has_more_rows ? "more than " : "") +
         std::to_string(survey.num_rows) + "\n\n" + table.text();
}

}  // namespace mlp::cli
