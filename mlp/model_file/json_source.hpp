// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace mlp::detail {

/// A text that a parser reads byte by byte, and of which the taker of the
/// parser's events may leave a part out.
class ModelJsonSource {
 public:
  /// \param text  must outlive this object
  explicit ModelJsonSource(std::string_view text)
      : text_(text), end_(text.size()) {}
  ModelJsonSource(const ModelJsonSource&) = delete;
  ModelJsonSource& operator=(const ModelJsonSource&) = delete;

  /// Reads the text once: copies of an iterator move together.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    Iterator(ModelJsonSource& source, const std::size_t& at)
        : source_(&source), at_(&at) {}

    char operator*() const { return source_->text_[*at_]; }
    Iterator& operator++() {
      source_->advance();
      return *this;
    }
    void operator++(int) { source_->advance(); }
    bool operator==(const Iterator& other) const { return *at_ == *other.at_; }
    bool operator!=(const Iterator& other) const { return *at_ != *other.at_; }

   private:
    ModelJsonSource* source_;
    const std::size_t* at_;
  };

  [[nodiscard]] Iterator begin() { return {*this, at_}; }
  [[nodiscard]] Iterator end() { return {*this, end_}; }

  /// What the parser has not read yet.
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }

  /// Leaves a part of rest() out, once per text.
  ///
  /// \param first, last  1 <= first <= last, last excluded
  void leave_out(std::size_t first, std::size_t last) {
    gap_ = at_ + first;
    gap_bytes_ = last - first;
  }

  /// The place in the text of a place in what the parser has read.
  ///
  /// \param num_read  bytes read up to there
  [[nodiscard]] std::size_t place_of(std::size_t num_read) const {
    return num_read > gap_ ? num_read + gap_bytes_ : num_read;
  }

 private:
  void advance() {
    ++at_;
    if (at_ == gap_) at_ += gap_bytes_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t end_;
  std::size_t gap_ = std::string_view::npos;
  std::size_t gap_bytes_ = 0;
};

/// The place of a byte as ":line:column", both 1-based.
[[nodiscard]] inline std::string text_position(std::string_view text,
                                               std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return ':' + std::to_string(line) + ':' + std::to_string(at - line_start + 1);
}

/// A byte as a message shows it: 'x', or byte 0xC3.
[[nodiscard]] inline std::string shown_byte(char byte) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  const auto code = static_cast<unsigned char>(byte);
  if (code >= 0x20 && code < 0x7F) return std::string("'") + byte + '\'';
  return std::string("byte 0x") + kDigits[code >> 4] + kDigits[code & 15];
}

}  // namespace mlp::detail
