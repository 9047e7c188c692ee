// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../reading/text_lines.hpp"

/// Copies rows of a CSV file as they are written there.
namespace mlp::datasets {

/// The texts of the rows of a CSV file.
class CsvRecords {
 public:
  /// \param text   of the file; must outlive this object
  /// \param lines  the 1-based lines on which rows begin, in any order
  /// \throws DataError if the text has fewer lines
  CsvRecords(std::string_view text, std::vector<Index> lines,
             const std::string& source)
      : lines_(std::move(lines)) {
    text = detail::without_byte_order_mark(text);
    std::sort(lines_.begin(), lines_.end());
    Index line = 1;
    std::size_t at = 0;
    for (const Index begin : lines_) {
      for (; line < begin && at < text.size(); ++line) at = next_line(text, at);
      if (at >= text.size()) {
        throw DataError(source, "has fewer lines than before; expected " +
                                    std::to_string(begin) +
                                    " or more; do not change it while it is "
                                    "used");
      }
      begins_.push_back(at);
    }
    begins_.push_back(text.size());
    text_ = text;
  }

  /// Returns the header, if there is one, and chosen rows, each with its line
  /// end. A byte order mark is left out.
  ///
  /// \param chosen  lines of rows, in the desired order
  [[nodiscard]] std::string select(const std::vector<Index>& chosen) const {
    std::string selected(text_.substr(0, begins_.front()));
    for (const Index line : chosen) {
      const auto row = static_cast<std::size_t>(
          std::lower_bound(lines_.begin(), lines_.end(), line) -
          lines_.begin());
      selected += without_empty_lines(
          text_.substr(begins_[row], begins_[row + 1] - begins_[row]));
      if (selected.back() != '\n') selected += '\n';
    }
    return selected;
  }

 private:
  static std::size_t next_line(std::string_view text, std::size_t at) {
    const std::size_t end = text.find('\n', at);
    return end == text.npos ? text.size() : end + 1;
  }

  /// Removes empty lines at the end, which may follow the last row of a file.
  static std::string_view without_empty_lines(std::string_view row) {
    const std::size_t last = row.find_last_not_of(" \r\n");
    return row.substr(0,
                      std::min(row.find('\n', last + 1), row.size() - 1) + 1);
  }

  std::string_view text_;
  std::vector<Index> lines_;         ///< sorted
  std::vector<std::size_t> begins_;  ///< bytes, with the end   [rows + 1]
};

}  // namespace mlp::datasets
