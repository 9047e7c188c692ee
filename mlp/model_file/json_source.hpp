// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "json_base64.hpp"
#include "json_numbers.hpp"

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

/// Reads an array of numbers.
///
/// \param first  the byte behind the bracket
inline std::optional<WeightsText> read_weights_array(std::string_view text,
                                                     std::size_t first) {
  const std::size_t last = text.find(']', first);
  if (last == text.npos) return std::nullopt;
  auto numbers = read_number_list(text.substr(first, last - first));
  if (!numbers) return std::nullopt;
  return WeightsText{std::move(*numbers), first, last};
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
  const char* const end = text.data() + text.size();
  const char* first = skip_json_space(text.data(), end);
  if (first == end || *first != ':') return std::nullopt;
  first = skip_json_space(first + 1, end);
  if (first == end) return std::nullopt;
  const auto at = static_cast<std::size_t>(first - text.data());
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
