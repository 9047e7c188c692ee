// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../../core/number_text.hpp"
#include "../../reading/trim_blanks.hpp"

/// Vectors that Spark writes as texts.
namespace mlp::datasets::detail {

/// Takes what is between two brackets at the start of a text.
///
/// \return nothing if the text does not begin so
inline std::optional<std::string_view> take_bracket(std::string_view& text,
                                                    char opening,
                                                    char closing) {
  if (text.empty() || text.front() != opening) return std::nullopt;
  const std::size_t end = text.find(closing);
  if (end == text.npos) return std::nullopt;
  const std::string_view inside = text.substr(1, end - 1);
  text = trim_blanks(text.substr(end + 1));
  return inside;
}

/// Divides a list at its commas; an empty list has nothing.
inline std::vector<std::string_view> split_list(std::string_view list) {
  std::vector<std::string_view> items;
  if (trim_blanks(list).empty()) return items;
  while (true) {
    const std::size_t comma = list.find(',');
    items.push_back(trim_blanks(list.substr(0, comma)));
    if (comma == list.npos) return items;
    list.remove_prefix(comma + 1);
  }
}

/// A vector whose elements are texts.
class TextVector {
 public:
  /// Reads what the function toString of Spark's vectors writes: [1.0,2.0] or
  /// (3,[0,2],[1.0,2.0]), with blanks between the numbers or not.
  ///
  /// \param text  must outlive the result
  /// \return nothing for another text, and if an index is wrong
  /// \source Spark 4.0.1, DenseVector.toString, SparseVector.toString and
  ///         org.apache.spark.mllib.linalg.Vectors.parse
  [[nodiscard]] static std::optional<TextVector> read(std::string_view text) {
    text = trim_blanks(text);
    TextVector vector;
    if (const auto dense = take_bracket(text, '[', ']')) {
      vector.values_ = split_list(*dense);
      vector.size_ = vector.values_.size();
      if (!text.empty() || !vector.has_numbers()) return std::nullopt;
      return vector;
    }
    if (!vector.read_sparse(text)) return std::nullopt;
    return vector;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  /// Appends the elements, with something between two of them.
  void append(std::string& text, char between) const {
    std::size_t next = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      if (i != 0) text += between;
      const bool is_stored =
          !is_sparse_ || (next < indices_.size() && indices_[next] == i);
      if (is_stored) {
        text += values_[next++];
      } else {
        text += '0';
      }
    }
  }

 private:
  [[nodiscard]] bool has_numbers() const {
    for (const std::string_view value : values_) {
      const bool is_number = parse_double(value).has_value() ||
                             value == "NaN" || value == "Infinity" ||
                             value == "-Infinity";
      if (!is_number) return false;
    }
    return true;
  }

  [[nodiscard]] bool read_sparse(std::string_view text) {
    constexpr std::int64_t kMostElements = std::int64_t{1} << 31;
    is_sparse_ = true;
    if (text.size() < 2 || text.front() != '(' || text.back() != ')') {
      return false;
    }
    text = text.substr(1, text.size() - 2);
    const std::size_t comma = text.find(',');
    if (comma == text.npos) return false;
    const auto size = parse_int(trim_blanks(text.substr(0, comma)));
    text = trim_blanks(text.substr(comma + 1));
    const auto indices = take_bracket(text, '[', ']');
    if (!size || *size < 0 || *size >= kMostElements || !indices ||
        text.substr(0, 1) != ",") {
      return false;
    }
    text = trim_blanks(text.substr(1));
    const auto values = take_bracket(text, '[', ']');
    if (!values || !text.empty()) return false;
    size_ = static_cast<std::size_t>(*size);
    values_ = split_list(*values);
    return has_numbers() && read_indices(*indices);
  }

  /// \return false unless there is an ascending index for each value
  [[nodiscard]] bool read_indices(std::string_view list) {
    for (const std::string_view text : split_list(list)) {
      const auto index = parse_int(text);
      const bool is_index =
          index && *index >= 0 && static_cast<std::size_t>(*index) < size_ &&
          (indices_.empty() ||
           static_cast<std::size_t>(*index) > indices_.back());
      if (!is_index) return false;
      indices_.push_back(static_cast<std::size_t>(*index));
    }
    return indices_.size() == values_.size();
  }

  bool is_sparse_ = false;
  std::size_t size_ = 0;
  std::vector<std::size_t> indices_;  ///< of a sparse vector
  std::vector<std::string_view> values_;
};

}  // namespace mlp::datasets::detail
