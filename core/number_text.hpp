// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers as text and back: exact, and independent of the locale.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace mlp {

namespace detail {

/// Returns true if a decimal text that is out of range for from_chars is too
/// large, and false if it is too small: the sign of its decimal exponent
/// decides.
inline bool is_overflow(std::string_view text) {
  const std::size_t exponent_at = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, exponent_at);
  std::int64_t exponent = 0;
  if (exponent_at != std::string_view::npos) {
    std::string_view tail = text.substr(exponent_at + 1);
    if (!tail.empty() && tail.front() == '+') tail.remove_prefix(1);
    const auto read =
        std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
    if (read.ec == std::errc::result_out_of_range) return tail.front() != '-';
  }
  const std::size_t first = digits.find_first_of("123456789");
  const std::size_t point = std::min(digits.find('.'), digits.size());
  return exponent >
         static_cast<std::int64_t>(first) - static_cast<std::int64_t>(point);
}

}  // namespace detail

/// Reads a finite decimal number, exactly rounded, independent of the locale.
///
/// Accepts a leading '+'. Underflow (1e-400) is 0. Refuses (nullopt) the empty
/// text, nan, inf, hexadecimal, overflow (1e400) and any trailing character.
[[nodiscard]] inline std::optional<double> parse_double(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ptr != end || text.empty()) return std::nullopt;
  if (read.ec == std::errc::result_out_of_range) {
    if (detail::is_overflow(text)) return std::nullopt;
    return text.front() == '-' ? -0.0 : 0.0;
  }
  if (read.ec != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Reads a decimal integer of 64 bits.
///
/// Accepts a leading '+'; refuses (nullopt) everything else that is not a sign
/// and digits, and values outside of int64.
[[nodiscard]] inline std::optional<std::int64_t> parse_int(
    std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (text.empty() || read.ec != std::errc{} || read.ptr != end) {
    return std::nullopt;
  }
  return value;
}

/// Appends the shortest decimal text that reads back as the same number.
/// NaN and the infinities become NaN, Infinity and -Infinity, as in Java.
inline void append_double(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "NaN";
  } else if (std::isinf(value)) {
    text += value > 0 ? "Infinity" : "-Infinity";
  } else {
    char buffer[32];
    const auto written = std::to_chars(buffer, buffer + sizeof buffer, value);
    text.append(buffer, written.ptr);
  }
}

/// Returns the text that append_double() appends.
[[nodiscard]] inline std::string format_double(double value) {
  std::string text;
  append_double(text, value);
  return text;
}

/// Formats a list of numbers as [a, b, c], for messages.
template <typename Numbers>
[[nodiscard]] std::string format_list(const Numbers& numbers) {
  std::string text = "[";
  for (const auto number : numbers) {
    if (text.size() > 1) text += ", ";
    if constexpr (std::is_integral_v<decltype(number)>) {
      text += std::to_string(number);
    } else {
      append_double(text, number);
    }
  }
  return text + ']';
}

}  // namespace mlp
