// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../core/types.hpp"
#include "arrow_stream.hpp"

/// What opens Parquet and Arrow files: the plugin, or another library.
namespace mlp::datasets {

/// A Parquet or Arrow file to open.
struct ArrowOpening {
  std::string path;
  bool is_parquet = true;  ///< otherwise an Arrow file

  /// The columns to read, ascending; all if there are none.
  std::vector<Index> columns;

  int num_threads = 1;
};

/// The rows of an opened file, and their number as the file states it.
struct OpenedArrow {
  std::shared_ptr<ArrowStream> stream;
  Index num_rows = 0;
};

/// Opens a file.
///
/// \throws DataError if it cannot be read
using ArrowOpener = std::function<OpenedArrow(const ArrowOpening&)>;

}  // namespace mlp::datasets
