// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "../../datasets/dataset.hpp"
#include "../../datasets/standard_scaler.hpp"

namespace mlp::cli {

/// What is known about the numbers of each column   [num_features] each.
struct ColumnRanges {
  Vector minimum;
  Vector mean;
  Vector maximum;
  Vector deviation;  ///< with divisor n - 1, as --standardize uses it
  std::vector<bool> are_integers;
};

/// Measures the rows of a matrix   [columns x instances]
[[nodiscard]] inline ColumnRanges measure_columns(const Matrix& columns) {
  const auto scaler = datasets::StandardScaler::fit(columns);
  ColumnRanges ranges{columns.rowwise().minCoeff(), scaler.mean,
                      columns.rowwise().maxCoeff(), scaler.standard_deviation,
                      std::vector<bool>()};
  ranges.are_integers.assign(static_cast<std::size_t>(columns.rows()), true);
  for (Index j = 0; j < columns.cols(); ++j) {
    for (Index i = 0; i < columns.rows(); ++i) {
      if (columns(i, j) == std::floor(columns(i, j))) continue;
      ranges.are_integers[static_cast<std::size_t>(i)] = false;
    }
  }
  return ranges;
}

/// Returns the values of a feature that are not missing   [1 x any].
[[nodiscard]] inline Matrix known_values(const datasets::Dataset& data,
                                         Index feature) {
  Matrix known(1, data.num_instances());
  Index count = 0;
  for (const double value : data.features.row(feature)) {
    if (!std::isnan(value)) known(0, count++) = value;
  }
  return known.leftCols(count);
}

}  // namespace mlp::cli
