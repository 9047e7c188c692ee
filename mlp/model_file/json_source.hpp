// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "json_base64.hpp"

namespace mlp::detail {

/// A text that a parser reads byte by byte. The handler of the parser's events
/// can skip a part of it.
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

  /// Returns the text that the parser has not read yet.
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }

  /// Skips a part of rest(), once per text.
  ///
  /// \param first, last  1 <= first <= last, last excluded
  void leave_out(std::size_t first, std::size_t last) {
    gap_ = at_ + first;
    gap_bytes_ = last - first;
  }

  /// Converts a position in the bytes that the parser has read to a position in
  /// the text.
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

/// Formats the position of a byte as ":line:column", both 1-based.
[[nodiscard]] inline std::string text_position(std::string_view text,
                                               std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return ':' + std::to_string(line) + ':' + std::to_string(at - line_start + 1);
}

/// Formats a byte for a message: 'x', or byte 0xC3.
[[nodiscard]] inline std::string shown_byte(char byte) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  const auto code = static_cast<unsigned char>(byte);
  if (code >= 0x20 && code < 0x7F) return std::string("'") + byte + '\'';
  return std::string("byte 0x") + kDigits[code >> 4] + kDigits[code & 15];
}

/// Numbers in a JSON text, and their position between the quotes or brackets.
struct WeightsText {
  Vector numbers;
  std::size_t first;
  std::size_t last;  ///< of the closing quote or bracket
};

inline bool is_json_digit(char byte) { return byte >= '0' && byte <= '9'; }

/// Returns the position of the first byte from `at` that is not white space, or
/// the text's size if there is none.
inline std::size_t skip_json_space(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' ||
                              text[at] == '\n' || text[at] == '\r')) {
    ++at;
  }
  return at;
}

/// Reads one number with the same result as the parser and parse_double().
///
/// \return the number of bytes read; 0 if the parser and parse_double() may
///         refuse it or read another number: a text that is not a JSON number,
///         overflow, underflow, and the integer -0, which is 0 for the parser
inline std::size_t read_json_number(std::string_view text, double& number) {
  const std::size_t first = text.substr(0, 1) == "-" ? 1 : 0;
  std::size_t at = first;
  while (at < text.size() && is_json_digit(text[at])) ++at;
  if (at == first || (text[first] == '0' && at > first + 1)) return 0;
  if (text.substr(at, 1) == "." &&
      (at + 1 == text.size() || !is_json_digit(text[at + 1]))) {
    return 0;
  }
  const auto read =
      std::from_chars(text.data(), text.data() + text.size(), number);
  const auto size = static_cast<std::size_t>(read.ptr - text.data());
  const bool is_negative_zero = size == at && number == 0.0 && first == 1;
  return read.ec == std::errc{} && !is_negative_zero ? size : 0;
}

/// Numbers whose count is not known beforehand. Large blocks of memory grow
/// without being copied.
class GrowingVector {
 public:
  void push_back(double number) {
    if (size_ == numbers_.size()) {
      numbers_.conservativeResize(std::max<Index>(64, 2 * size_));
    }
    numbers_[size_++] = number;
  }

  [[nodiscard]] Vector take() {
    numbers_.conservativeResize(size_);
    return std::move(numbers_);
  }

 private:
  Vector numbers_;
  Index size_ = 0;
};

/// Reads an array of numbers.
///
/// \param first  the byte behind the bracket
inline std::optional<WeightsText> read_weights_array(std::string_view text,
                                                     std::size_t first) {
  GrowingVector numbers;
  std::size_t at = first;
  while (true) {
    at = skip_json_space(text, at);
    double number = 0.0;
    const std::size_t size = read_json_number(text.substr(at), number);
    if (size == 0) return std::nullopt;
    numbers.push_back(number);
    at = skip_json_space(text, at + size);
    if (at == text.size()) return std::nullopt;
    if (text[at] == ']') return WeightsText{numbers.take(), first, at};
    if (text[at] != ',') return std::nullopt;
    ++at;
  }
}

/// Reads weights after the name of their member, without the parser, which
/// handles every byte separately and copies every number and string.
///
/// \param text  from the end of the name
/// \return nothing if they are not an array of plain numbers or a string of
///         base64 without escapes. The parser then reads them, and reports
///         errors.
/// \cost   memory grows with the bytes of the text
inline std::optional<WeightsText> read_weights(std::string_view text) {
  std::size_t at = skip_json_space(text, 0);
  if (text.substr(at, 1) != ":") return std::nullopt;
  at = skip_json_space(text, at + 1);
  if (at == text.size()) return std::nullopt;
  if (text[at] == '[') return read_weights_array(text, at + 1);
  if (text[at] != '"') return std::nullopt;
  const std::size_t last = text.find('"', at + 1);
  if (last == text.npos) return std::nullopt;
  auto numbers = decode_base64(text.substr(at + 1, last - at - 1));
  if (!numbers) return std::nullopt;
  return WeightsText{std::move(*numbers), at + 1, last};
}

/// Refuses two things that nlohmann's parser accepts: it skips a byte order
/// mark, and treats a zero byte as the end.
inline void check_bytes(std::string_view text, const std::string& file) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    throw ModelError(file + ":1:1",
                     "the JSON text starts with a byte order mark; expected "
                     "'{': save the file as UTF-8 without it");
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] != '{') {
    throw ModelError(file + text_position(text, first),
                     "the file is not a model; expected '{', got " +
                         shown_byte(text[first]));
  }
  const std::size_t zero = text.find('\0');
  if (zero == std::string_view::npos) return;
  throw ModelError(
      file + text_position(text, zero),
      "the JSON text is malformed at byte 0x00; write the file again");
}

}  // namespace mlp::detail
