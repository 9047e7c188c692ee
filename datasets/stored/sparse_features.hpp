// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "feature_source.hpp"

namespace mlp::datasets {

/// The numbers of a sparse matrix in compressed rows, as SciPy's `csr_matrix` has them:
/// those of row i are ends[i] .. ends[i + 1].
struct SparseRows {
  std::vector<std::int64_t> ends;     ///< [rows + 1]; the first is 0
  std::vector<std::int32_t> columns;  ///< of the numbers, in any order
  std::vector<double> numbers;        ///< those of the same place are added
};

/// Features of a sparse matrix, whose zeros take no memory.
class SparseFeatures final : public FeatureSource {
 public:
  /// \throws ShapeError if the rows do not fit together, DataError if a number is not
  ///         finite
  SparseFeatures(SparseRows rows, Index num_features)
      : rows_(std::move(rows)), num_features_(num_features) {
    check_ends();
    for (std::size_t i = 0; i < rows_.columns.size(); ++i) {
      if (rows_.columns[i] < 0 || rows_.columns[i] >= num_features_) {
        throw ShapeError("the columns of a sparse matrix must be 0.." +
                         std::to_string(num_features_ - 1) + "; got " +
                         std::to_string(rows_.columns[i]));
      }
      if (!std::isfinite(rows_.numbers[i])) refuse_number(i);
    }
  }

  [[nodiscard]] Index num_features() const override { return num_features_; }
  [[nodiscard]] Index num_instances() const override {
    return static_cast<Index>(rows_.ends.size()) - 1;
  }

  /// \cost count num_features writes, and one addition for each number
  void read(Index first, Index count, double* features) const override {
    std::fill_n(features, count * num_features_, 0.0);
    for (Index row = first; row < first + count; ++row) {
      double* const to = features + (row - first) * num_features_;
      for (std::size_t i = begin_of(row); i < begin_of(row + 1); ++i) {
        to[rows_.columns[i]] += rows_.numbers[i];
      }
    }
  }

 private:
  [[nodiscard]] std::size_t begin_of(Index row) const {
    return static_cast<std::size_t>(rows_.ends[static_cast<std::size_t>(row)]);
  }

  void check_ends() const {
    const bool are_ordered =
        !rows_.ends.empty() && rows_.ends.front() == 0 &&
        std::is_sorted(rows_.ends.begin(), rows_.ends.end());
    const auto count = static_cast<std::int64_t>(rows_.numbers.size());
    if (are_ordered && rows_.ends.back() == count &&
        rows_.columns.size() == rows_.numbers.size()) {
      return;
    }
    throw ShapeError(
        "the ends of the rows of a sparse matrix must not decrease, and the "
        "last must be the count of its numbers, " +
        std::to_string(count) + "; each number must have a column");
  }

  [[noreturn]] void refuse_number(std::size_t i) const {
    const auto end = std::upper_bound(rows_.ends.begin(), rows_.ends.end(),
                                      static_cast<std::int64_t>(i));
    throw DataError("features must be finite, without NaN and inf; feature " +
                    std::to_string(rows_.columns[i]) + " of row " +
                    std::to_string(end - rows_.ends.begin() - 1) + " is " +
                    format_double(rows_.numbers[i]) +
                    "; replace the number, or leave the row out");
  }

  SparseRows rows_;
  Index num_features_;
};

}  // namespace mlp::datasets
