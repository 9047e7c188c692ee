// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../reading/quoted.hpp"
#include "load.hpp"

/// Several label columns of a CSV file: the numbers that a regression predicts.
namespace mlp::datasets {

/// Asks the reader of a CSV file for label columns that are no features.
///
/// \param columns  names or 0-based indices
inline void expect_targets(CsvOptions& csv,
                           const std::vector<std::string>& columns) {
  csv.label.clear();
  csv.label_rule = LabelRule::kAbsent;
  csv.targets = columns;
}

namespace detail {

/// \throws DataError naming the line of a text that is not a finite number
inline void read_target(const KeptColumn& column, Index target, Dataset& data) {
  for (Index i = 0; i < data.num_instances(); ++i) {
    const std::string& text = column.texts[static_cast<std::size_t>(i)];
    const auto number = parse_double(text);
    if (!number || !std::isfinite(*number)) {
      const InstancePlace place = data.place_of(i);
      throw DataError(place.file, place.position,
                      "expected a finite number as the label " +
                          in_quotes(column.name) + ", got " + in_quotes(text));
    }
    data.targets(target, i) = *number;
  }
}

}  // namespace detail

/// Makes targets of the label columns that expect_targets() asked for.
///
/// \throws DataError for a label that is not a finite number
inline void take_targets(LoadedData& loaded) {
  Dataset& data = loaded.dataset;
  const auto num_targets = static_cast<Index>(loaded.targets.size());
  data.targets.resize(num_targets, data.num_instances());
  for (Index i = 0; i < num_targets; ++i) {
    const KeptColumn& column = loaded.targets[static_cast<std::size_t>(i)];
    detail::read_target(column, i, data);
    data.target_names.push_back(column.name);
  }
  loaded.targets.clear();
}

}  // namespace mlp::datasets
