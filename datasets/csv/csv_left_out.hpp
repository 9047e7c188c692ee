// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../core/types.hpp"
#include "../dataset.hpp"
#include "../left_out_columns.hpp"
#include "column_rules.hpp"
#include "layout/csv_layout.hpp"

/// Leaves out the columns of a CSV file that cannot be features.
namespace mlp::datasets::detail {

/// Returns the name of a column, or its index if it has none of its own.
[[nodiscard]] inline std::string own_name(const CsvLayout& layout,
                                          Index column) {
  const std::string index = std::to_string(layout.index_of(column));
  if (!layout.has_header) return index;
  const auto& names = layout.column_names;
  const std::string& name = names[static_cast<std::size_t>(column)];
  const bool is_own =
      !name.empty() && std::count(names.begin(), names.end(), name) == 1;
  return is_own ? name : index;
}

/// Finds out whether a feature is one of the columns that are left out.
///
/// \param data       codes of categories or numbers
/// \param rules      of the reader
/// \param has_value  in at least one row
inline std::optional<LeftOutColumn> find_left_out(const Dataset& data,
                                                  const CsvLayout& layout,
                                                  const ColumnRules& rules,
                                                  Index slot, bool has_value) {
  const Index column = column_of_slot(layout, slot);
  const auto at = static_cast<std::size_t>(column);
  std::vector<std::string> texts;
  if (rules.is_category(slot)) texts = rules.categories(slot);
  auto found =
      datasets::find_left_out(data, slot,
                              {layout.has_header ? layout.column_names[at] : "",
                               describe_column(layout, column), has_value,
                               rules.is_category(slot) ? &texts : nullptr});
  if (!found) return found;
  found->column = column;
  found->name = own_name(layout, column);
  return found;
}

/// Forgets what was assumed about features that are left out.
inline void forget_guesses(CsvLayout& layout,
                           const std::vector<Index>& columns) {
  std::erase_if(layout.guesses.unnamed_features, [&](Index column) {
    return std::count(columns.begin(), columns.end(), column) != 0;
  });
  const auto forget = [&](std::optional<std::string>& name, Index least) {
    if (!name) return;
    Index count = 0;
    for (std::size_t i = 0; i < layout.column_names.size(); ++i) {
      count += layout.slots[i] >= 0 && layout.column_names[i] == *name;
    }
    if (count < least) name.reset();
  };
  forget(layout.guesses.repeated_name, 2);
  forget(layout.guesses.name_of_label_and_feature, 1);
}

/// Leaves out the features that cannot be features, unless none were left.
///
/// \param[in,out] data  as for find_left_out()
/// \return what is left out
inline std::vector<LeftOutColumn> leave_out_columns(Dataset& data,
                                                    CsvLayout& layout,
                                                    ColumnRules& rules) {
  ChosenFeatures chosen =
      choose_kept_features(data, [&](Index slot, bool has_value) {
        return find_left_out(data, layout, rules, slot, has_value);
      });
  if (chosen.left_out.empty()) return {};
  std::vector<Index> columns;
  for (const LeftOutColumn& left_out : chosen.left_out) {
    columns.push_back(left_out.column);
  }
  layout.leave_out(columns);
  forget_guesses(layout, columns);
  for (LeftOutColumn& left_out : chosen.left_out) {
    left_out.column = layout.index_of(left_out.column);
  }
  rules.keep(chosen.kept);
  data.compute_features(keep_features(std::move(chosen.kept)));
  return std::move(chosen.left_out);
}

}  // namespace mlp::datasets::detail
