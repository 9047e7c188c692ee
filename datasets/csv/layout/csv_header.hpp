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

#include "../../../core/error.hpp"
#include "../../../core/number_text.hpp"
#include "../../../core/suggestion.hpp"
#include "../../../core/types.hpp"
#include "../../reading/comma_number.hpp"
#include "../csv_dialect.hpp"
#include "../csv_scanner.hpp"

/// Detection of the delimiter, header and label column of a CSV file.
namespace mlp::datasets::detail {

/// Returns true for a missing value: an empty text or NA in any case.
inline bool is_missing(std::string_view text) {
  return text.empty() || equals_ignoring_case(text, "NA");
}

/// Returns true for NaN, infinities and numbers outside the range of float64.
inline bool is_not_finite(std::string_view text) {
  if (parse_double(text)) return false;
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (text.empty() || read.ptr != end) return false;
  return read.ec == std::errc::result_out_of_range || !std::isfinite(value);
}

}  // namespace mlp::datasets::detail

namespace mlp::datasets {

/// Returns true for a text that is certainly a name. It starts with a letter
/// other than n or i, so it cannot be nan, NA or inf.
inline bool starts_as_name(std::string_view text) {
  if (text.empty()) return false;
  const char letter = static_cast<char>(text.front() | ('a' ^ 'A'));
  return letter >= 'a' && letter <= 'z' && letter != 'n' && letter != 'i';
}

/// Classifies a field of the first row, to decide if the row is a header.
enum class FieldLook {
  kNumber,      ///< a number
  kBoolean,     ///< True or False
  kUnknown,     ///< a missing or non-finite value, or a number with commas:
                ///< decides nothing
  kNumberLike,  ///< starts like a number: 0x10, 1st
  kName         ///< a name
};

inline FieldLook look_of_field(std::string_view text,
                               const detail::CsvDialect& dialect = {}) {
  if (dialect.is_missing(text)) return FieldLook::kUnknown;
  if (dialect.number(text)) return FieldLook::kNumber;
  if (detail::parse_boolean(text)) return FieldLook::kBoolean;
  if (detail::is_not_finite(text) ||
      detail::comma_use(text) != detail::CommaUse::kNone) {
    return FieldLook::kUnknown;
  }
  std::string_view rest = text;
  if (rest.front() == '+' || rest.front() == '-') rest.remove_prefix(1);
  if (!rest.empty() && rest.front() == '.') rest.remove_prefix(1);
  const bool has_digit =
      !rest.empty() && rest.front() >= '0' && rest.front() <= '9';
  return has_digit ? FieldLook::kNumberLike : FieldLook::kName;
}

}  // namespace mlp::datasets

namespace mlp::datasets::detail {

/// Returns the label column if the options do not name it, or -1.
///
/// It is the only column with the known name, or else the first one with a usual
/// label name, in the order of the names below.
/// \param known  empty if no name is known
inline Index find_usual_label(const std::vector<std::string>& row,
                              const std::string& known = "") {
  const auto named = std::find(row.begin(), row.end(), known);
  if (!known.empty() && std::count(named, row.end(), known) == 1) {
    return named - row.begin();
  }
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

/// The possible delimiters beside the space. If two are equally frequent, the first
/// one is used.
inline constexpr std::string_view kDelimiters = "\t;,|";

/// Returns true if spaces separate the fields of the first two records: the second
/// one has a number, and as many fields as the first one or one more.
inline bool has_spaces_between_fields(std::string_view text) try {
  CsvScanner scanner(text, ' ', "");
  std::array<std::size_t, 2> sizes{};
  bool has_number = false;
  for (std::size_t& size : sizes) {
    has_number = false;
    if (!scanner.next_record()) return false;
    do {
      has_number =
          parse_double(scanner.read_field().text).has_value() || has_number;
      ++size;
    } while (!scanner.record_ended());
  }
  return has_number && sizes[1] > 1 &&
         (sizes[1] == sizes[0] || sizes[1] == sizes[0] + 1);
} catch (const DataError&) {
  return false;
}

/// Returns the text from its first line on that is not empty.
inline std::string_view without_empty_first_lines(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \r\n");
  if (first == text.npos) return {};
  const std::size_t line_end = text.substr(0, first).rfind('\n');
  return line_end == text.npos ? text : text.substr(line_end + 1);
}

/// Chooses the delimiter of the first record.
///
/// \returns ';' if all fields between ';' are numbers, some with a comma;
///          otherwise the most frequent of tab, ';' and ',' outside quotes, in
///          this order if two are equally frequent; '|' if none of these occurs,
///          and ' ' if that does not occur either and spaces separate fields;
///          otherwise ',', or ';' if commas are decimal: a header of one name, above
///          numbers such as 10,5, is one column
/// \param decimal  '.' or ','
inline char sniff_delimiter(std::string_view text, char decimal = '.') {
  text = without_empty_first_lines(text);
  std::array<std::size_t, kDelimiters.size()> counts{};
  bool is_in_quotes = false;
  std::size_t size = 0;
  for (; size < text.size(); ++size) {
    const char byte = text[size];
    if (byte == '"') is_in_quotes = !is_in_quotes;
    if (is_in_quotes) continue;
    if (byte == '\n') break;
    const std::size_t found = kDelimiters.find(byte);
    if (found != std::string_view::npos) ++counts[found];
  }
  if (has_decimal_commas(text.substr(0, size))) return ';';
  const auto bar = counts.end() - 1;
  const auto most = std::max_element(counts.begin(), bar);
  if (*most == 0) {
    if (*bar != 0) return '|';
    if (has_spaces_between_fields(text)) return ' ';
    return decimal == ',' ? ';' : ',';
  }
  return kDelimiters[static_cast<std::size_t>(most - counts.begin())];
}

}  // namespace mlp::datasets::detail
