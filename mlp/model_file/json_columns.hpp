// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The members of a model file that say how a data file is read: input.columns,
// input.unknown and input.missingTexts.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/json_text.hpp"
#include "../../core/names.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../core/utf8.hpp"
#include "../../datasets/input_column.hpp"
#include "json_members.hpp"

namespace mlp::detail {

inline constexpr auto kColumnKindNames =
    std::to_array<Named<datasets::ColumnKind>>({
        {datasets::ColumnKind::kNumber, "number"},
        {datasets::ColumnKind::kCategory, "category"},
    });

/// Returns the path of a column.
inline std::string column_path(std::size_t i) {
  return "$.input.columns[" + std::to_string(i) + ']';
}

/// Turns the values of a file into columns.
///
/// \throws ModelError if a kind is unknown, or a column has a name although the
///         features have none, or has none although they have
inline std::vector<datasets::InputColumn> build_columns(
    std::vector<ParsedColumn> parsed, bool has_names, const std::string& file) {
  std::vector<datasets::InputColumn> columns;
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    const auto kind = find_named(kColumnKindNames, parsed[i].kind);
    if (!kind) {
      throw ModelError(file, column_path(i) + ".kind",
                       "must be \"number\" or \"category\"; got " +
                           shown_json_string(parsed[i].kind));
    }
    if (parsed[i].name.has_value() != has_names) {
      throw ModelError(file, column_path(i),
                       has_names ? "the member \"name\" is missing; every "
                                   "column has it if input has featureNames"
                                 : "the member \"name\" must be left out if "
                                   "input has no featureNames");
    }
    if (parsed[i].categories.has_value() !=
        (*kind == datasets::ColumnKind::kCategory)) {
      throw ModelError(file, column_path(i),
                       "must have the member \"categories\" if its kind is "
                       "\"category\", and only then");
    }
    columns.push_back(
        {std::move(parsed[i].name).value_or(""), *kind,
         std::move(parsed[i].categories).value_or(std::vector<std::string>{}),
         parsed[i].missing});
  }
  return columns;
}

/// Turns the values of a file into the rules for its fields.
///
/// \throws ModelError if the rule is unknown, or there is no text
inline datasets::InputRules build_rules(
    const std::optional<std::string>& unknown,
    std::optional<std::vector<std::string>> missing_texts,
    const std::string& file) {
  datasets::InputRules rules;
  if (unknown) {
    const auto rule = find_named(datasets::kUnknownRuleNames, *unknown);
    if (!rule) {
      throw ModelError(file, "$.input.unknown",
                       "must be \"refuse\" or \"ignore\"; got " +
                           shown_json_string(*unknown));
    }
    rules.unknown = *rule;
  }
  if (missing_texts && missing_texts->empty()) {
    throw ModelError(file, "$.input.missingTexts",
                     "must be at least 1 text, or be left out; got none");
  }
  if (missing_texts) rules.missing_texts = std::move(*missing_texts);
  return rules;
}

/// Checks that texts for missing values are UTF-8, not empty, and differ.
///
/// \throws ModelError naming the first wrong text by its JSON path
inline void check_rules(const datasets::InputRules& rules,
                        const std::string& file) {
  const std::vector<std::string>& texts = rules.missing_texts;
  for (auto text = texts.begin(); text != texts.end(); ++text) {
    const bool is_first = std::find(texts.begin(), text, *text) == text;
    if (is_first && !text->empty() && is_utf8(*text)) continue;
    throw ModelError(
        file,
        "$.input.missingTexts[" + std::to_string(text - texts.begin()) + ']',
        "must be UTF-8 and not empty, each text once; got " +
            shown_json_string(*text));
  }
}

/// Checks that categories are sorted UTF-8 and that values for missing ones can be
/// used.
///
/// \throws ModelError naming the first wrong value by its JSON path
inline void check_column(const datasets::InputColumn& column, std::size_t i,
                         const std::string& file) {
  const std::vector<std::string>& categories = column.categories;
  const bool is_category = column.kind == datasets::ColumnKind::kCategory;
  if (is_category == categories.empty()) {
    throw ModelError(file, column_path(i) + ".categories",
                     is_category ? "must be at least 1 text; got none"
                                 : "must be empty for a column of numbers");
  }
  for (std::size_t k = 0; k < categories.size(); ++k) {
    const bool is_sorted = k == 0 || categories[k - 1] < categories[k];
    if (is_sorted && is_utf8(categories[k])) continue;
    throw ModelError(
        file, column_path(i) + ".categories[" + std::to_string(k) + ']',
        "must be UTF-8 in the order of the bytes, each text once; got " +
            shown_json_string(categories[k]));
  }
  if (!column.missing_value) return;
  const double missing = *column.missing_value;
  const bool is_index = missing >= 0.0 && missing == std::floor(missing) &&
                        missing < static_cast<double>(categories.size());
  if (is_category ? is_index : std::isfinite(missing)) return;
  throw ModelError(
      file, column_path(i) + ".missing",
      (is_category ? "must be the index of a category, from 0 to " +
                         std::to_string(categories.size() - 1)
                   : std::string("must be a finite number")) +
          "; got " + format_double(missing));
}

/// Checks columns, and that the features have their names.
///
/// \throws ModelError naming the first wrong value by its JSON path
inline void check_columns(const std::vector<datasets::InputColumn>& columns,
                          const std::vector<std::string>& feature_names,
                          const std::string& file) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    check_column(columns[i], i, file);
  }
  if (columns.empty() || feature_names.empty()) return;
  const std::vector<std::string> names = datasets::expanded_names(columns);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == feature_names[i]) continue;
    throw ModelError(file, "$.input.featureNames[" + std::to_string(i) + ']',
                     "must be " + shown_json_string(names[i]) +
                         ", as input.columns says; got " +
                         shown_json_string(feature_names[i]));
  }
}

}  // namespace mlp::detail
