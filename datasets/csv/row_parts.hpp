// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../reading/source_file.hpp"
#include "../reading/text_file.hpp"

namespace mlp::datasets::detail {

/// The rows of files that are larger than the memory, one part after another.
class RowParts {
 public:
  RowParts() = default;
  virtual ~RowParts() = default;
  RowParts(const RowParts&) = delete;
  RowParts& operator=(const RowParts&) = delete;

  /// Begins with the first file again.
  virtual void restart() = 0;

  /// Reads the text of the next part.
  ///
  /// \return null at the end of the last file; valid until the next call
  /// \throws DataError if a file cannot be read
  [[nodiscard]] virtual const FileInPieces* next(ThreadPool& pool) = 0;

  /// Returns the number of rows of the part; -1 if only its text tells.
  [[nodiscard]] virtual Index num_rows() const { return -1; }

  /// Copies the features of the part that are not in its text.
  ///
  /// \param[in,out] features  [num_features x at least num_rows()]
  virtual void copy_numbers(Matrix& /*features*/, ThreadPool& /*pool*/) {}

  /// The files that were opened so far.
  [[nodiscard]] virtual const std::vector<SourceFile>& sources() const = 0;
};

}  // namespace mlp::datasets::detail
