// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../csv/kept_columns.hpp"
#include "../dataset.hpp"
#include "../missing_texts.hpp"
#include "../reading/quoted.hpp"

/// The column of a CSV file that names the group of each instance.
namespace mlp::datasets::detail {

/// Numbers the groups of a column; equal texts are one group.
///
/// \param missing  the texts that mean a missing value
/// \throws DataError naming the line of an instance without a group
inline void index_groups(const KeptColumn& column, const MissingTexts& missing,
                         Dataset& data) {
  std::unordered_map<std::string_view, Index> numbers;
  data.groups.reserve(column.texts.size());
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    const std::string_view text = column.texts[i];
    if (missing.has(text)) {
      const InstancePlace place = data.place_of(static_cast<Index>(i));
      throw DataError(place.file, place.position,
                      "expected a group in column " + in_quotes(column.name) +
                          ", got " +
                          (text.empty() ? "an empty field" : in_quotes(text)) +
                          "; give the row a group of its own or remove it");
    }
    const auto next = static_cast<Index>(numbers.size());
    data.groups.push_back(numbers.emplace(text, next).first->second);
  }
}

}  // namespace mlp::datasets::detail
