// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "../../core/error.hpp"
#include "quoted.hpp"

/// The columns that names of folders give, such as day=1.
namespace mlp::datasets {

/// The value of a column for all rows of the files in a folder.
struct FolderValue {
  std::string name;

  /// Nothing if it is missing.
  std::optional<std::string> text;

  friend bool operator==(const FolderValue&, const FolderValue&) = default;
};

/// The columns that such folders give the files in them.
struct FolderColumns {
  /// From the upper folder to the lower one.
  std::vector<std::string> names;

  /// [files][names]
  std::vector<std::vector<std::optional<std::string>>> values;

  [[nodiscard]] bool empty() const { return names.empty(); }

  /// Returns true if each value of a column is an integer or missing.
  [[nodiscard]] bool are_integers(std::size_t column) const;
};

namespace detail {

/// Reads an integer as Spark does: 01 is 1.
inline std::optional<std::int64_t> folder_integer(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

/// Replaces %XX by the byte that it stands for. Other texts with '%' stay.
///
/// \source Spark 4.0.1, ExternalCatalogUtils.unescapePathName
inline std::string unescape_folder(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const std::string_view digits =
        text[i] == '%' ? text.substr(i + 1, 2) : std::string_view();
    const char* const end = digits.data() + digits.size();
    const bool is_code =
        digits.size() == 2 &&
        std::from_chars(digits.data(), end, code, 16).ptr == end;
    plain += is_code ? static_cast<char>(code) : text[i];
    i += is_code ? 2 : 0;
  }
  return plain;
}

/// Reads the name of a folder.
///
/// \return nothing if it has no '='
/// \throws DataError if the name or the value is empty
/// \source Spark 4.0.1, PartitioningUtils.parsePartitionColumn
inline std::optional<FolderValue> read_folder_name(std::string_view name,
                                                   const std::string& path) {
  constexpr std::string_view kNoValue = "__HIVE_DEFAULT_PARTITION__";
  const std::size_t equals = name.find('=');
  if (equals == name.npos) return std::nullopt;
  if (equals == 0 || equals + 1 == name.size()) {
    throw DataError(path, "is a folder without a " +
                              std::string(equals == 0 ? "name" : "value") +
                              "; expected name=value; rename it");
  }
  FolderValue value{unescape_folder(name.substr(0, equals)), std::nullopt};
  const std::string_view text = name.substr(equals + 1);
  if (text != kNoValue) value.text = unescape_folder(text);
  return value;
}

/// Returns the names of columns for messages.
inline std::string folder_names(const std::vector<std::string>& names) {
  return names.empty() ? "none" : quoted_list(names);
}

/// Returns the sentence of an error about a column that a file has, too.
inline std::string column_of_both(const std::string& name) {
  return "the column " + in_quotes(name) +
         " is in the file, and in the name of its folder; expected it once; "
         "rename one of them";
}

/// Writes integers in their usual form if a column has no other values.
inline void normalize_integers(FolderColumns& columns) {
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    if (!columns.are_integers(i)) continue;
    for (auto& of_file : columns.values) {
      if (of_file[i]) of_file[i] = std::to_string(*folder_integer(*of_file[i]));
    }
  }
}

}  // namespace detail

inline bool FolderColumns::are_integers(std::size_t column) const {
  return std::all_of(values.begin(), values.end(), [&](const auto& of_file) {
    return !of_file[column] || detail::folder_integer(*of_file[column]);
  });
}

}  // namespace mlp::datasets
