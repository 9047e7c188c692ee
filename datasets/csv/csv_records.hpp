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
#include "csv_scanner.hpp"

/// Copies rows of a CSV file as they are written there.
namespace mlp::datasets {

/// The texts of the rows of a CSV file.
class CsvRecords {
 public:
  /// \param text   of the file; must outlive this object
  /// \param lines  the 1-based lines on which rows begin, in any order; other rows,
  ///               such as those with missing values, may be between them
  /// \param delimiter   of the fields
  /// \param has_header  the first row of the text is a header
  /// \throws DataError if the text has fewer lines
  CsvRecords(std::string_view text, std::vector<Index> lines,
             const std::string& source, char delimiter, bool has_header)
      : lines_(std::move(lines)),
        source_(source),
        delimiter_(delimiter),
        has_header_(has_header) {
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
    text_ = text;
  }

  /// Returns the header, if there is one, and chosen rows, each with its line
  /// end. A byte order mark is left out.
  ///
  /// \param chosen  lines of rows, in the desired order
  [[nodiscard]] std::string select(const std::vector<Index>& chosen) const {
    std::string selected(text_.substr(0, has_header_ ? record_end(0) : 0));
    for (const Index line : chosen) {
      const auto row = static_cast<std::size_t>(
          std::lower_bound(lines_.begin(), lines_.end(), line) -
          lines_.begin());
      const std::size_t begin = begins_[row];
      selected += text_.substr(begin, record_end(begin) - begin);
      if (selected.back() != '\n') selected += '\n';
    }
    return selected;
  }

 private:
  static std::size_t next_line(std::string_view text, std::size_t at) {
    const std::size_t end = text.find('\n', at);
    return end == text.npos ? text.size() : end + 1;
  }

  /// Returns the end of the first row from a byte on, with its line end.
  [[nodiscard]] std::size_t record_end(std::size_t begin) const {
    CsvScanner scanner(text_.substr(begin), delimiter_, source_);
    if (!scanner.next_record()) return text_.size();
    do {
      static_cast<void>(scanner.read_field());
    } while (!scanner.record_ended());
    return static_cast<std::size_t>(scanner.next_byte() - text_.data());
  }

  std::string_view text_;
  std::vector<Index> lines_;  ///< sorted
  std::string source_;
  char delimiter_;
  bool has_header_;
  std::vector<std::size_t> begins_;  ///< bytes   [rows]
};

}  // namespace mlp::datasets
