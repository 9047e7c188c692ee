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
#include "../arrow/arrow_opener.hpp"
#include "../arrow/arrow_plugin.hpp"
#include "../arrow/arrow_stream.hpp"
#include "../arrow/constant_column.hpp"
#include "../csv/csv_options.hpp"
#include "../reading/folder_columns.hpp"
#include "../reading/quoted.hpp"
#include "arrow_format.hpp"
#include "column_needs.hpp"
#include "data_files.hpp"

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

/// Opens columns of a file by the plugin.
///
/// \throws DataError if the file cannot be read
inline OpenedArrow open_by_plugin(const ArrowPlugin& plugin,
                                  const ArrowOpening& opening) {
  const std::vector<std::int64_t> wanted(opening.columns.begin(),
                                         opening.columns.end());
  const ArrowRequest request{opening.path.c_str(),
                             opening.is_parquet ? 1 : 0,
                             wanted.data(),
                             static_cast<std::int64_t>(wanted.size()),
                             batch_rows(wanted.size()),
                             opening.num_threads};
  ArrowArrayStream stream{};
  std::int64_t num_rows = 0;
  std::array<char, 4096> reason{};
  if (plugin.open(&request, &stream, &num_rows,
                  {reason.data(), reason.size()}) == 0) {
    return {std::make_shared<ArrowStream>(stream, opening.path), num_rows};
  }
  throw DataError(opening.path,
                  std::string("cannot be read: ") + reason.data());
}

/// The columns that the folders of one file give.
using ConstantColumns = std::vector<std::shared_ptr<ConstantColumn>>;

/// Opens one file, again and again: its columns, and those of its folders behind them.
class ArrowFileOpener {
 public:
  /// Opens all columns.
  ///
  /// \param keeps_open  the first stream is kept until it is asked for
  /// \throws DataError if the file has a column that its folders give
  ArrowFileOpener(ArrowOpener open, ArrowOpening all, ConstantColumns added,
                  bool keeps_open)
      : open_(std::move(open)), opening_(std::move(all)) {
    opening_.columns.clear();
    added_ = std::move(added);
    OpenedArrow opened = open_(opening_);
    num_rows_ = opened.num_rows;
    num_own_ = opened.stream->num_columns();
    for (const auto& column : added_) check_name(*opened.stream, *column);
    if (!added_.empty()) opened.stream->add_columns(added_, true);
    if (keeps_open) unread_ = std::move(opened.stream);
  }

  [[nodiscard]] Index num_rows() const { return num_rows_; }

  /// Opens columns as ArrowFile::open() says.
  [[nodiscard]] std::shared_ptr<ArrowStream> operator()(
      const std::vector<Index>& columns) {
    if (columns.empty() && unread_) return std::move(unread_);
    ArrowOpening opening = opening_;
    ConstantColumns added = columns.empty() ? added_ : ConstantColumns();
    for (const Index column : columns) {
      if (column < num_own_) {
        opening.columns.push_back(column);
      } else {
        added.push_back(added_[static_cast<std::size_t>(column - num_own_)]);
      }
    }
    // Some column tells how many rows there are.
    const bool keeps_columns = columns.empty() || !opening.columns.empty();
    if (!keeps_columns) opening.columns.push_back(0);
    std::shared_ptr<ArrowStream> stream = open_(opening).stream;
    if (!added.empty()) stream->add_columns(std::move(added), keeps_columns);
    return stream;
  }

 private:
  void check_name(const ArrowStream& stream, ConstantColumn& added) const {
    const std::string name = added.schema().name;
    for (Index i = 0; i < num_own_; ++i) {
      if (stream.column_name(i) != name) continue;
      throw DataError(opening_.path, column_of_both(name));
    }
  }

  ArrowOpener open_;
  ArrowOpening opening_;  ///< of all columns
  ConstantColumns added_;
  Index num_own_ = 0;
  Index num_rows_ = 0;
  std::shared_ptr<ArrowStream> unread_;
};

/// Returns the columns that the folders of a file give.
inline ConstantColumns constant_columns(const FolderColumns& folders,
                                        std::size_t file) {
  ConstantColumns columns;
  for (std::size_t i = 0; i < folders.names.size(); ++i) {
    columns.push_back(std::make_shared<ConstantColumn>(
        folders.names[i], folders.values[file][i], folders.are_integers(i)));
  }
  return columns;
}

/// Opens Parquet or Arrow files that are read as one.
///
/// \param from  files that begin as the format does
/// \param open  null for the plugin
/// \throws DataError for options about texts, if the plugin is not there, or if a file
///         cannot be read
inline std::vector<ArrowFile> open_arrow_files(const DataFiles& from,
                                               const ArrowFormatName& format,
                                               const CsvOptions& csv,
                                               ArrowOpener open) {
  check_no_text_layout(csv, from.paths.front(), std::string(format.name));
  if (!open) {
    const ArrowPlugin& plugin = arrow_plugin(from.paths.front(), format.name);
    open = [&plugin](const ArrowOpening& opening) {
      return open_by_plugin(plugin, opening);
    };
  }
  constexpr std::size_t kMostOpen = 64;
  std::vector<ArrowFile> files;
  for (std::size_t i = 0; i < from.paths.size(); ++i) {
    const auto opener = std::make_shared<ArrowFileOpener>(
        open,
        ArrowOpening{from.paths[i], &format == &kParquet, {}, csv.num_threads},
        constant_columns(from.columns, i), from.paths.size() <= kMostOpen);
    files.push_back({from.paths[i],
                     [opener](const std::vector<Index>& columns) {
                       return (*opener)(columns);
                     },
                     opener->num_rows()});
  }
  return files;
}

}  // namespace mlp::datasets::detail
