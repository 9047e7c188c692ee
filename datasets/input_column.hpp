// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../core/names.hpp"
#include "../core/number_text.hpp"
#include "../core/types.hpp"
#include "reading/quoted.hpp"
#include "reading/trim_blanks.hpp"
#include "reading/truth_value.hpp"

/// Columns of a data file, as they become features of a network.
namespace mlp::datasets {

/// What the values of a column are.
enum class ColumnKind {
  kNumber,   ///< numbers: the column is one feature
  kCategory  ///< texts: each category is a feature, 1 for the rows that have it
             ///< and 0 for the others (one-hot)
};

/// The most categories of a column that have a feature of their own.
inline constexpr std::size_t kMaxCategories = 1000;

/// The feature of a column behind its number or its categories.
enum class ExtraFeature {
  kNone,
  kMissing,  ///< of numbers: 1 for the rows that lack the value
  kOther     ///< of categories: 1 for the rows with another text
};

inline constexpr auto kExtraFeatureNames = std::to_array<Named<ExtraFeature>>({
    {ExtraFeature::kMissing, "missing"},
    {ExtraFeature::kOther, "other"},
});

/// One column of the features, before categories are encoded.
struct InputColumn {
  /// Empty if the file has no names.
  std::string name;

  ColumnKind kind = ColumnKind::kNumber;

  /// In the order of their bytes, each once; empty for numbers. The empty text is
  /// the category of missing values.
  std::vector<std::string> categories;

  /// What replaces a missing value: a number, or for a category its index, which is
  /// the number of categories for the extra feature. Empty if missing values are
  /// refused.
  std::optional<double> missing_value;

  ExtraFeature extra = ExtraFeature::kNone;

  /// Returns the number of features that the column becomes.
  [[nodiscard]] Index num_features() const {
    const Index own =
        kind == ColumnKind::kNumber ? 1 : static_cast<Index>(categories.size());
    return extra == ExtraFeature::kNone ? own : own + 1;
  }

  friend bool operator==(const InputColumn&, const InputColumn&) = default;
};

/// What happens to a category that a column does not have.
enum class UnknownRule {
  kRefuse,  ///< the file is refused
  kIgnore,  ///< the row has none of the categories: all their features are 0
  kOther  ///< as kIgnore, but the feature of other categories is 1, if the column
          ///< has it; a training makes it of rare categories
};

inline constexpr auto kUnknownRuleNames = std::to_array<Named<UnknownRule>>({
    {UnknownRule::kRefuse, "refuse"},
    {UnknownRule::kIgnore, "ignore"},
    {UnknownRule::kOther, "other"},
});

/// How the fields of a data file are read, where columns do not tell it.
struct InputRules {
  UnknownRule unknown = UnknownRule::kRefuse;

  /// Texts that mean a missing value, in place of kMissingTexts: not empty, each
  /// once. If there are none, kMissingTexts do.
  std::vector<std::string> missing_texts;

  friend bool operator==(const InputRules&, const InputRules&) = default;
};

/// Returns true if a column is one of categories.
[[nodiscard]] inline bool has_categories(std::span<const InputColumn> columns) {
  return std::any_of(columns.begin(), columns.end(),
                     [](const InputColumn& column) {
                       return column.kind == ColumnKind::kCategory;
                     });
}

/// Returns true if a column has an extra feature, of this kind if one is given.
[[nodiscard]] inline bool has_extra_feature(
    std::span<const InputColumn> columns,
    std::optional<ExtraFeature> kind = std::nullopt) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const InputColumn& column) {
                       return kind ? column.extra == *kind
                                   : column.extra != ExtraFeature::kNone;
                     });
}

/// Returns the code of a text that is none of the categories of a column: the index
/// of the feature of other categories, or -1 if no feature is 1.
[[nodiscard]] inline Index unknown_code(const InputColumn& column,
                                        UnknownRule rule) {
  const bool is_other =
      rule == UnknownRule::kOther && column.extra == ExtraFeature::kOther;
  return is_other ? static_cast<Index>(column.categories.size()) : -1;
}

/// Returns the rule that a model with these columns stores.
[[nodiscard]] inline UnknownRule stored_unknown_rule(
    std::span<const InputColumn> columns, UnknownRule rule) {
  if (!has_categories(columns)) return UnknownRule::kRefuse;
  const bool has_other = has_extra_feature(columns, ExtraFeature::kOther);
  return rule == UnknownRule::kOther && !has_other ? UnknownRule::kIgnore
                                                   : rule;
}

/// Returns the number of features that columns become.
[[nodiscard]] inline Index count_features(
    std::span<const InputColumn> columns) {
  Index count = 0;
  for (const InputColumn& column : columns) count += column.num_features();
  return count;
}

/// Returns the name of each column; nothing if the columns have no names.
[[nodiscard]] inline std::vector<std::string> column_names(
    std::span<const InputColumn> columns) {
  std::vector<std::string> names;
  bool is_any = false;
  for (const InputColumn& column : columns) {
    names.push_back(column.name);
    is_any = is_any || !column.name.empty();
  }
  if (!is_any) names.clear();
  return names;
}

/// Returns the names of the features that columns become: that of the column for
/// numbers, and color=red for category red of column color. The feature of missing
/// values is color=, and that of other categories color!=.
[[nodiscard]] inline std::vector<std::string> expanded_names(
    std::span<const InputColumn> columns) {
  std::vector<std::string> names;
  for (const InputColumn& column : columns) {
    if (column.kind == ColumnKind::kNumber) names.push_back(column.name);
    for (const std::string& category : column.categories) {
      names.push_back(column.name + '=' + category);
    }
    if (column.extra == ExtraFeature::kNone) continue;
    const bool is_other = column.extra == ExtraFeature::kOther;
    names.push_back(column.name + (is_other ? "!=" : "="));
  }
  return names;
}

/// Returns true for each feature of columns that is 1 or 0, for a category or a missing
/// value; nothing if there is none.
[[nodiscard]] inline std::vector<bool> indicator_features(
    std::span<const InputColumn> columns) {
  std::vector<bool> are_indicators;
  for (const InputColumn& column : columns) {
    const auto size = static_cast<std::size_t>(column.num_features());
    const std::size_t first = column.kind == ColumnKind::kNumber ? 1 : 0;
    for (std::size_t i = 0; i < size; ++i) are_indicators.push_back(i >= first);
  }
  const bool has_one = std::find(are_indicators.begin(), are_indicators.end(),
                                 true) != are_indicators.end();
  return has_one ? are_indicators : std::vector<bool>();
}

/// Returns true if columns become the same features.
[[nodiscard]] inline bool has_same_categories(std::span<const InputColumn> a,
                                              std::span<const InputColumn> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const InputColumn& x, const InputColumn& y) {
                      return x.name == y.name && x.kind == y.kind &&
                             x.categories == y.categories && x.extra == y.extra;
                    });
}

/// Returns the other ways in which tables write a value: without blanks around it; 3.0 for 3,
/// and 3 for 3.0, because pandas writes integers so if a value of their column is missing;
/// true for True; and 1e-07 for 1e-7. 1.10 may be a version, which is not 1.1.
[[nodiscard]] inline std::vector<std::string> other_spellings(
    const std::string& text) {
  const std::string_view trimmed = detail::trim_blanks(text);
  if (trimmed.size() != text.size()) {
    std::vector<std::string> all = other_spellings(std::string(trimmed));
    all.emplace(all.begin(), trimmed);
    return all;
  }
  const bool has_zero = text.size() > 2 && text.ends_with(".0");
  const std::string_view integer =
      std::string_view(text).substr(0, text.size() - (has_zero ? 2 : 0));
  const std::size_t first = integer.find_first_not_of("-");
  if (first <= 1 &&
      integer.find_first_not_of("0123456789", first) == integer.npos) {
    return {has_zero ? std::string(integer) : text + ".0"};
  }
  if (const auto truth = truth_value(text)) {
    const TruthTexts& texts = *truth ? kTrueTexts : kFalseTexts;
    return {texts.begin(), texts.end()};
  }
  const bool has_exponent = text.find_first_of("eE") != text.npos;
  if (!has_exponent || text.find_first_of("0123456789.") > 1) return {};
  const auto number = parse_double(text);
  if (!number) return {};
  const std::string shortest = format_double(*number);
  std::string exponent = shortest;  // with one digit
  const std::size_t zero = exponent.rfind("e-0");
  if (zero != exponent.npos) exponent.erase(zero + 2, 1);
  return {shortest, exponent};
}

/// Finds a text among sorted categories, also in another spelling.
[[nodiscard]] inline std::vector<std::string>::const_iterator find_category(
    const std::vector<std::string>& categories, const std::string& text) {
  const auto find = [&](const std::string& spelling) {
    const auto found =
        std::lower_bound(categories.begin(), categories.end(), spelling);
    return found != categories.end() && *found == spelling ? found
                                                           : categories.end();
  };
  const auto found = find(text);
  if (found != categories.end()) return found;
  for (const std::string& spelling : other_spellings(text)) {
    const auto other = find(spelling);
    if (other != categories.end()) return other;
  }
  return categories.end();
}

/// Says that a column has a text that is none of its categories.
///
/// \param column  its name or index with the word column
[[nodiscard]] inline std::string unknown_category(
    std::string_view text, const std::string& column,
    const std::vector<std::string>& categories) {
  return "unknown category " + in_quotes(text) + " in " + column +
         "; expected one of " + quoted_list(categories);
}

/// Returns all that columns have as one text, to hash it or to compare it.
[[nodiscard]] inline std::string columns_text(
    std::span<const InputColumn> columns) {
  std::string text;
  const auto add = [&](const std::string& part) {
    text.append(part).append(1, '\0');
  };
  for (const InputColumn& column : columns) {
    add(column.name);
    add(std::to_string(column.categories.size()));
    for (const std::string& category : column.categories) add(category);
    add(column.missing_value ? format_double(*column.missing_value) : "");
    if (column.extra == ExtraFeature::kNone) continue;
    add(std::string(name_in(kExtraFeatureNames, column.extra)));
  }
  return text;
}

}  // namespace mlp::datasets
