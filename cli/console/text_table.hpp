// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/utf8.hpp"

namespace mlp::cli {

/// Formats cells in columns for a terminal.
///
/// The first column is aligned left, the others right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) {
    add(std::move(header));
  }

  /// Adds a row with as many cells as the header. Control characters are escaped,
  /// so that a file cannot control the terminal.
  void add(std::vector<std::string> cells) {
    for (std::string& cell : cells) cell = printable(cell);
    rows_.push_back(std::move(cells));
  }

  /// Returns the table; each row ends with a newline.
  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < rows_.front().size(); ++i) {
      widths.push_back(column_width(i));
    }
    std::string text;
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string gap(widths[i] - width(row[i]), ' ');
        const bool is_last = i + 1 == row.size();
        text += i == 0 ? row[i] + (is_last ? "" : gap) : "  " + gap + row[i];
      }
      text += '\n';
    }
    return text;
  }

 private:
  /// Returns the number of characters of a UTF-8 text.
  static std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(),
                      [](char byte) { return !is_utf8_continuation(byte); }));
  }

  [[nodiscard]] std::size_t column_width(std::size_t column) const {
    std::size_t widest = 0;
    for (const auto& row : rows_) widest = std::max(widest, width(row[column]));
    return widest;
  }

  std::vector<std::vector<std::string>> rows_;
};

}  // namespace mlp::cli
