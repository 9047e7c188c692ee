// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "../../core/number_text.hpp"
#include "../../core/types.hpp"

namespace mlp::datasets::detail {

/// Compares texts with the letters A-Z taken as a-z.
inline bool equals_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char letter) {
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    return is_upper ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

/// True for what stands for a value that is not known.
inline bool is_missing(std::string_view text) {
  return text.empty() || equals_ignoring_case(text, "NA");
}

/// True for nan, the infinities, and numbers that float64 cannot hold.
inline bool is_not_finite(std::string_view text) {
  if (parse_double(text)) return false;
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (text.empty() || read.ptr != end) return false;
  return read.ec == std::errc::result_out_of_range || !std::isfinite(value);
}

/// True for text that is plainly a name: it starts with a letter, but neither as
/// nan, NA or inf do.
inline bool starts_as_name(std::string_view text) {
  if (text.empty()) return false;
  const char letter = static_cast<char>(text.front() | ('a' ^ 'A'));
  return letter >= 'a' && letter <= 'z' && letter != 'n' && letter != 'i';
}

/// What a field of the first row says about that row.
enum class FieldLook {
  kNumber,      ///< data
  kUnknown,     ///< a missing or a non-finite value: nothing
  kNumberLike,  ///< starts as a number does: 0x10, 1st
  kName         ///< a header
};

inline FieldLook look_of_field(std::string_view text) {
  if (parse_double(text)) return FieldLook::kNumber;
  if (is_missing(text) || is_not_finite(text)) return FieldLook::kUnknown;
  std::string_view rest = text;
  if (rest.front() == '+' || rest.front() == '-') rest.remove_prefix(1);
  if (!rest.empty() && rest.front() == '.') rest.remove_prefix(1);
  const bool has_digit =
      !rest.empty() && rest.front() >= '0' && rest.front() <= '9';
  return has_digit ? FieldLook::kNumberLike : FieldLook::kName;
}

/// Tells whether a first row is a header: whether a feature field of it is not
/// a number.
///
/// Broken numbers are not taken for names: a row that has them and numbers as
/// well is data, so that the error gets reported instead of the row lost.
/// \param label_column  0-based, not looked at; -1: every field is a feature
inline bool has_feature_name(const std::vector<std::string>& row,
                             Index label_column) {
  std::size_t num_number_like = 0;
  std::size_t num_features = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (static_cast<Index>(i) == label_column) continue;
    const FieldLook look = look_of_field(row[i]);
    if (look == FieldLook::kName) return true;
    num_number_like += look == FieldLook::kNumberLike ? 1 : 0;
    ++num_features;
  }
  return num_features != 0 && num_number_like == num_features;
}

/// The first column whose name means the label, by the order of these names;
/// -1 if there is none.
inline Index find_usual_label(const std::vector<std::string>& row) {
  constexpr std::array<std::string_view, 4> kUsualNames = {"label", "class",
                                                           "target", "species"};
  for (const std::string_view usual : kUsualNames) {
    const auto found =
        std::find_if(row.begin(), row.end(), [&](const std::string& name) {
          return equals_ignoring_case(name, usual);
        });
    if (found != row.end()) return found - row.begin();
  }
  return -1;
}

/// What parts fields, in the order in which a tie is decided.
inline constexpr std::string_view kDelimiters = "\t;,";

/// Counts candidate delimiters outside of quotes in the first record.
///
/// \returns the most frequent of tab, ';' and ',', the first of them on a tie;
///          ',' if there is none
inline char sniff_delimiter(std::string_view text) {
  std::array<std::size_t, kDelimiters.size()> counts{};
  bool is_in_quotes = false;
  for (const char byte : text) {
    if (byte == '"') is_in_quotes = !is_in_quotes;
    if (is_in_quotes) continue;
    if (byte == '\n') break;
    const std::size_t found = kDelimiters.find(byte);
    if (found != std::string_view::npos) ++counts[found];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  if (*most == 0) return ',';
  return kDelimiters[static_cast<std::size_t>(most - counts.begin())];
}

}  // namespace mlp::datasets::detail
