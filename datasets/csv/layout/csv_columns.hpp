// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/number_text.hpp"
#include "../../../core/suggestion.hpp"
#include "../../../core/types.hpp"
#include "../../reading/quoted.hpp"
#include "../../reading/vector_columns.hpp"
#include "csv_header.hpp"

/// The columns of a CSV file, found by name or index.
namespace mlp::datasets::detail {

/// The first row of a CSV file, and the columns that options refer to.
class CsvColumns {
 public:
  /// \param num_of_folders  columns at the end that have a name and no index, because
  ///                        folders give them   [at most all]
  CsvColumns(std::vector<std::string> first_row, std::string source,
             Index num_of_folders = 0)
      : cells_(std::move(first_row)),
        source_(std::move(source)),
        num_of_files_(size() - num_of_folders) {}

  /// States that the cells are the fields of rows with vectors.
  void set_vectors(VectorColumns vectors) { vectors_ = std::move(vectors); }

  [[nodiscard]] Index size() const { return static_cast<Index>(cells_.size()); }

  [[nodiscard]] const std::vector<std::string>& cells() const { return cells_; }

  [[nodiscard]] const std::string& cell(Index column) const {
    return cells_[static_cast<std::size_t>(column)];
  }

  /// Returns the name of the file.
  [[nodiscard]] const std::string& source() const { return source_; }

  [[nodiscard]] bool has_header() const { return has_header_; }
  void set_has_header(bool has_header) { has_header_ = has_header; }

  /// Returns the first column with a text in the first row, or -1.
  [[nodiscard]] Index find_cell(const std::string& text) const {
    const auto found = std::find(cells_.begin(), cells_.end(), text);
    return text.empty() || found == cells_.end() ? -1 : found - cells_.begin();
  }

  /// Returns the column for an index given as text, or -1.
  [[nodiscard]] Index find_index(const std::string& text) const {
    const auto index = parse_int(text);
    const Index num = num_of_files_;
    if (!index || *index < -num || *index >= num) return -1;
    return *index < 0 ? *index + num : *index;
  }

  /// Returns the column with a name of the header, or -1.
  ///
  /// \param kind  the intended role of the column, for messages
  /// \throws DataError if several columns have the name
  [[nodiscard]] Index find_name(const std::string& name,
                                const std::string& kind) const {
    const Index found = has_header_ ? find_cell(name) : -1;
    if (found < 0) return -1;
    const auto next = cells_.begin() + found + 1;
    if (std::find(next, cells_.end(), name) == cells_.end()) return found;
    const std::string index =
        parse_int(name)
            ? "index from the end, such as " +
                  std::to_string(index_of(found) - index_of(num_of_files_))
            : "0-based index";
    const bool is_noun = kind.find("column") != kind.npos;
    throw error("more than one column is named " + in_quotes(name) +
                "; expected one " + kind + (is_noun ? "" : " column") +
                "; name it by its " + index);
  }

  /// Returns the column that an option names: by its name in the header or else
  /// by its index.
  ///
  /// \throws DataError if there is none
  [[nodiscard]] Index require(const std::string& text,
                              const std::string& kind) const {
    Index column = find_name(text, kind);
    if (column < 0) column = find_index(text);
    if (column < 0) throw no_such_column(kind, text);
    return column;
  }

  /// Returns the columns that an option lists.
  ///
  /// \throws DataError if one does not exist or is listed twice
  [[nodiscard]] std::vector<Index> require_all(
      const std::vector<std::string>& texts, const std::string& kind) const {
    std::vector<Index> columns;
    std::vector<bool> is_listed(cells_.size());
    for (const std::string& text : texts) {
      const Index column = require(text, kind);
      if (is_listed[static_cast<std::size_t>(column)]) {
        throw error("column " + describe(column) + " is listed twice as " +
                    kind + "; expected each column once");
      }
      is_listed[static_cast<std::size_t>(column)] = true;
      columns.push_back(column);
    }
    return columns;
  }

  /// Returns the name or index of a column for messages.
  [[nodiscard]] std::string describe(Index column) const {
    return has_header_ ? in_quotes(cell(column))
                       : std::to_string(index_of(column));
  }

  /// Returns the index of a column for messages: a vector counts as one column.
  [[nodiscard]] Index index_of(Index column) const {
    return vectors_.column_of(column);
  }

  [[nodiscard]] DataError error(const std::string& sentence) const {
    return DataError(source_, FilePosition{1, 1}, sentence);
  }

  [[nodiscard]] DataError no_such_column(const std::string& kind,
                                         const std::string& text) const {
    const std::string what = "no column is the " + kind + " " + in_quotes(text);
    const std::string nearest = has_header_ ? find_nearest(text) : "";
    if (!nearest.empty()) {
      return error(what + "; did you mean " + in_quotes(nearest) + '?');
    }
    const bool lacks_names = !has_header_ && !parse_int(text);
    const std::string names = has_header_ ? quoted_list(cells_) + ", or " : "";
    const Index num = index_of(num_of_files_);
    return error(what + (lacks_names ? " because there is no header" : "") +
                 "; expected " + names + "an index from 0 to " +
                 std::to_string(num - 1) + " or from -1 to " +
                 std::to_string(-num));
  }

  /// Returns the name that was probably meant, or "".
  [[nodiscard]] std::string find_nearest(const std::string& text) const {
    constexpr std::size_t kMinLetters = 3;  // shorter names are all similar
    constexpr std::size_t kMaxCompared = 1000;
    for (const std::string& name : cells_) {
      if (equals_ignoring_case(name, text)) return name;
    }
    Suggestion suggestion(text);
    const std::size_t size = std::min(cells_.size(), kMaxCompared);
    for (std::size_t i = 0; i < size; ++i) {
      if (std::min(text.size(), cells_[i].size()) < kMinLetters) continue;
      suggestion.consider(cells_[i], cells_[i]);
    }
    return suggestion.best();
  }

 private:
  std::vector<std::string> cells_;
  std::string source_;
  Index num_of_files_;
  VectorColumns vectors_;
  bool has_header_ = false;
};

}  // namespace mlp::datasets::detail
