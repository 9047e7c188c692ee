// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "../../core/types.hpp"
#include "json_base64.hpp"

namespace mlp::detail {

/// Numbers that a JSON text holds, and where between the quotes or brackets.
struct WeightsText {
  Vector numbers;
  std::size_t first;
  std::size_t last;  ///< of the closing quote or bracket
};

inline bool is_json_digit(char byte) { return byte >= '0' && byte <= '9'; }

/// The first byte from `at` on that is no white space; the text's size where
/// there is none.
inline std::size_t skip_json_space(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' ||
                              text[at] == '\n' || text[at] == '\r')) {
    ++at;
  }
  return at;
}

/// Reads one number as the parser and parse_double() do together.
///
/// \return the bytes it takes; 0 where these may refuse it or take it for
///         another: what is no JSON number, overflow, underflow, and the integer
///         -0, which is 0 to the parser
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

/// Reads weights behind the name of their member, without the parser: it takes
/// every byte by itself and copies every number and string.
///
/// \param text  from the end of the name on
/// \return nothing where they are not an array of plain numbers or a string of
///         base64 without escapes. The parser then reads them, and says what is
///         wrong, if anything is.
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

}  // namespace mlp::detail
