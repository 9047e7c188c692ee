// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "../../core/types.hpp"

/// Columns of files whose values are vectors.
namespace mlp::datasets {

/// A column whose values are vectors.
struct VectorColumn {
  std::size_t column;  ///< of the file
  std::size_t size;    ///< of each vector

  friend bool operator==(const VectorColumn&, const VectorColumn&) = default;
};

/// The columns of files, where a vector is one column, and the fields of their rows, where
/// each element of a vector is one. Users see and give the indices of columns.
class VectorColumns {
 public:
  /// Each column is one field.
  VectorColumns() = default;

  /// \param vectors  in the order of their columns
  explicit VectorColumns(std::vector<VectorColumn> vectors)
      : vectors_(std::move(vectors)) {}

  [[nodiscard]] bool empty() const { return vectors_.empty(); }

  /// Returns the first field of a column.
  [[nodiscard]] Index field_of(Index column) const {
    std::size_t field = static_cast<std::size_t>(column);
    for (const VectorColumn& vector : vectors_) {
      if (static_cast<Index>(vector.column) < column) field += vector.size - 1;
    }
    return static_cast<Index>(field);
  }

  /// Returns the column that has a field.
  [[nodiscard]] Index column_of(Index field) const {
    Index num_more = 0;
    for (const VectorColumn& vector : vectors_) {
      const Index first = static_cast<Index>(vector.column) + num_more;
      if (first > field) break;
      const Index last = first + static_cast<Index>(vector.size) - 1;
      num_more += std::min(last, field) - first;
    }
    return field - num_more;
  }

  /// Returns the vector of a column; null for a column of single values.
  [[nodiscard]] const VectorColumn* find(Index column) const {
    const auto found = std::find_if(
        vectors_.begin(), vectors_.end(), [&](const VectorColumn& one) {
          return static_cast<Index>(one.column) == column;
        });
    return found == vectors_.end() ? nullptr : &*found;
  }

  /// Returns true if a field is an element of a vector.
  [[nodiscard]] bool is_element(Index field) const {
    return find(column_of(field)) != nullptr;
  }

  friend bool operator==(const VectorColumns&, const VectorColumns&) = default;

 private:
  std::vector<VectorColumn> vectors_;
};

}  // namespace mlp::datasets
