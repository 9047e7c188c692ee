// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "../../core/types.hpp"
#include "base64.hpp"

namespace mlp::detail {

/// Reads one number with the same result as the parser and parse_double().
///
/// \return the number of bytes read; 0 for what the parser may refuse or read as
///         another number: a text that is not a JSON number, overflow, underflow,
///         and the integer -0, which is 0 for the parser
inline std::size_t read_json_number(std::string_view text, double& number) {
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
  };
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  if (!is_digit(first) || (text[first] == '0' && is_digit(first + 1))) return 0;
  const auto read =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{}) return 0;
  text = {text.data(), read.ptr};
  const std::size_t point = text.find('.');
  const bool is_whole = point == text.npos;
  if (is_whole ? first == 1 && number == 0.0 : !is_digit(point + 1)) return 0;
  return text.size();
}

/// Reads numbers between commas, without white space.
///
/// \return nothing if one of them is not of the form of read_json_number()
inline std::optional<Vector> read_json_numbers(std::string_view text) {
  constexpr std::size_t kUsualBytes = 20;  // of a weight
  std::vector<double> numbers;
  numbers.reserve(text.size() / kUsualBytes + 1);
  while (true) {
    double number = 0.0;
    const std::size_t size = read_json_number(text, number);
    if (size == 0) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(size);
    if (text.empty()) break;
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
  }
  return Eigen::Map<const Vector>(numbers.data(),
                                  static_cast<Index>(numbers.size()));
}

/// The weights of a model file and their bytes between the brackets or the quotes.
struct WeightsCut {
  Vector numbers;
  std::size_t first;
  std::size_t last;  ///< of the closing bracket or quote

  /// Returns the text without these bytes. The parser reads it, because it handles
  /// every byte separately, and copies every number and every string.
  [[nodiscard]] std::string rest_of(std::string_view text) const {
    return std::string(text.substr(0, first)).append(text.substr(last));
  }
};

/// Reads the weights as the writer writes them.
///
/// Only the name of a member can contain these bytes before a colon. If it is not
/// the member of the weights, the parser refuses it.
/// \return nothing for data in another form. The parser then reads them, and
///         reports errors.
inline std::optional<WeightsCut> cut_weights(std::string_view text) {
  constexpr std::string_view kStart = "\"data\":";
  const std::size_t start = text.find(kStart);
  if (start == text.npos) return std::nullopt;
  const std::size_t first = start + kStart.size() + 1;
  const bool is_array = text.substr(0, first).ends_with('[');
  if (!is_array && !text.substr(0, first).ends_with('"')) return std::nullopt;
  const std::size_t last = text.find(is_array ? ']' : '"', first);
  if (last == text.npos) return std::nullopt;
  const std::string_view data = text.substr(first, last - first);
  auto numbers = is_array ? read_json_numbers(data) : decode_base64(data);
  if (!numbers) return std::nullopt;
  return WeightsCut{std::move(*numbers), first, last};
}

}  // namespace mlp::detail
