// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "../../core/plugin/plugin_text.hpp"
#include "arrow_interface.hpp"

/// The interface of the plugin that reads Parquet and Arrow files.
namespace mlp::datasets {

/// The version of this interface. Add one after any change below.
inline constexpr int kArrowPluginVersion = 1;

/// A file, and what is read of it.
struct ArrowRequest {
  const char* path;
  int is_parquet;  ///< otherwise an Arrow file, also called Feather
  const std::int64_t* columns;  ///< [num_columns], ascending
  std::int64_t num_columns;     ///< 0 for all columns
  std::int64_t rows_at_once;    ///< the most rows of a record batch
  int num_threads;              ///< that decode columns
};

/// The functions of the plugin, as load_plugin_file() wants them.
struct ArrowPlugin {
  /// Stays the first member in all versions; kArrowPluginVersion.
  int version;

  /// Writes the name and the version of the library that reads files.
  void (*describe)(PluginText text);

  /// Opens the rows of a file. Returns 0, or writes a reason and returns something else.
  ///
  /// \param[out] stream    to be released by the caller
  /// \param[out] num_rows  as the file states it
  int (*open)(const ArrowRequest* request, ArrowArrayStream* stream,
              std::int64_t* num_rows, PluginText reason);
};

}  // namespace mlp::datasets
