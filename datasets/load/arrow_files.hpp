// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/plugin/plugin_file.hpp"
#include "../../core/types.hpp"
#include "../arrow/arrow_fields.hpp"
#include "../arrow/arrow_interface.hpp"
#include "../arrow/arrow_plugin.hpp"
#include "../arrow/arrow_stream.hpp"
#include "../csv/csv_options.hpp"
#include "arrow_format.hpp"
#include "column_needs.hpp"

/// Reader for Parquet and Arrow files, by a plugin.
namespace mlp::datasets::detail {

inline constexpr PluginKind kArrowPlugin{
    "Arrow",          "libmlp_arrow.so",     "mlp_arrow_plugin",
    "MLP_WITH_ARROW", "the package pyarrow", false};

/// Loads the plugin.
///
/// \throws DataError naming a file that needs it, and what adds it; ResourceError as
///         load_plugin_file()
inline const ArrowPlugin& arrow_plugin(const std::string& path,
                                       std::string_view format) {
  try {
    return load_plugin_file<ArrowPlugin>(kArrowPlugin, "", kArrowPluginVersion);
  } catch (const NotCompiled&) {
    throw DataError(
        path,
        "expected CSV, LIBSVM, idx or .npy, got " + std::string(format) +
            ", which a plugin reads, and " + no_plugin_file(kArrowPlugin, "") +
            "; run scripts/install-deps parquet and build again, read the "
            "file in Python with mlp.read_parquet, or convert it");
  }
}

/// Returns how many rows a record batch of some columns has: about 8 MB.
inline std::int64_t batch_rows(std::size_t num_columns) {
  constexpr std::size_t kNumbers = std::size_t{1} << 20;
  return static_cast<std::int64_t>(std::clamp<std::size_t>(
      kNumbers / std::max<std::size_t>(1, num_columns), 1024, 65536));
}

/// Opens columns of a file.
///
/// \return the stream, and the number of rows as the file states it
/// \throws DataError if the file cannot be read
inline std::pair<std::shared_ptr<ArrowStream>, Index> open_arrow_file(
    const ArrowPlugin& plugin, const std::string& path, bool is_parquet,
    const std::vector<Index>& columns, int num_threads) {
  const std::vector<std::int64_t> wanted(columns.begin(), columns.end());
  const ArrowRequest request{path.c_str(),
                             is_parquet ? 1 : 0,
                             wanted.data(),
                             static_cast<std::int64_t>(wanted.size()),
                             batch_rows(wanted.size()),
                             num_threads};
  ArrowArrayStream stream{};
  std::int64_t num_rows = 0;
  std::array<char, 4096> reason{};
  if (plugin.open(&request, &stream, &num_rows,
                  {reason.data(), reason.size()}) == 0) {
    return {std::make_shared<ArrowStream>(stream, path), num_rows};
  }
  throw DataError(path, std::string("cannot be read: ") + reason.data());
}

/// Opens Parquet or Arrow files that are read as one.
///
/// \param paths  of files that begin as the format does   [at least 1]
/// \throws DataError for options about texts, if the plugin is not there, or if a file
///         cannot be read
inline std::vector<ArrowFile> open_arrow_files(
    const std::vector<std::string>& paths, const ArrowFormatName& format,
    const CsvOptions& csv) {
  check_no_text_layout(csv, paths.front(), std::string(format.name));
  const ArrowPlugin& plugin = arrow_plugin(paths.front(), format.name);
  const bool is_parquet = &format == &kParquet;
  const int num_threads = csv.num_threads;
  std::vector<ArrowFile> files;
  for (const std::string& path : paths) {
    const auto open = [&plugin, path, is_parquet,
                       num_threads](const std::vector<Index>& columns) {
      return open_arrow_file(plugin, path, is_parquet, columns, num_threads);
    };
    const Index num_rows = open({}).second;
    files.push_back({path,
                     [open](const std::vector<Index>& columns) {
                       return open(columns).first;
                     },
                     num_rows});
  }
  return files;
}

}  // namespace mlp::datasets::detail
