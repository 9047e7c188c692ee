// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../reading/digits.hpp"
#include "../reading/quoted.hpp"
#include "../reading/short_decimal.hpp"
#include "../reading/trim_blanks.hpp"

/// Scanner for the records and fields of CSV text.
namespace mlp::datasets {

/// One field of a CSV record.
struct CsvField {
  /// The text without quotes around it, and without blanks around it, in quotes or not;
  /// inner quotes are doubled.
  std::string_view text;

  FilePosition position;

  bool has_doubled_quotes = false;

  /// Returns the text with each doubled quote replaced by one.
  [[nodiscard]] std::string value() const {
    if (!has_doubled_quotes) return std::string(text);
    std::string single;
    single.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
      single += text[i];
      if (text[i] == '"') ++i;
    }
    return single;
  }
};

/// Scans CSV text record by record and field by field.
///
/// Lines end with LF, CRLF or CR CR LF; the last line may end with the file. A quoted
/// field may contain delimiters, line ends and doubled quotes. Blanks around a
/// field are ignored, in quotes or not, and so are empty lines. If the delimiter is a space, any number
/// of spaces and tabs separates two fields, and those around a record are ignored.
/// \source RFC 4180
class CsvScanner {
 public:
  /// \param first_line  1-based number of the text's first line in the file
  CsvScanner(std::string_view text, char delimiter, std::string source,
             std::size_t first_line = 1)
      : at_(text.data()),
        end_(text.data() + text.size()),
        line_begin_(at_),
        line_(first_line),
        delimiter_(delimiter),
        source_(std::move(source)) {
    const auto code = static_cast<unsigned char>(delimiter);
    zero_field_ = static_cast<std::uint64_t>('0' | code << 8);
    four_zero_fields_ = zero_field_ * 0x0001000100010001;
  }

  /// Moves to the next record.
  ///
  /// \pre the last record was read to its end
  /// \returns false at the end of the text
  bool next_record() {
    // Most records start with a byte other than white space.
    if (at_ == end_ || static_cast<unsigned char>(*at_) <= ' ') {
      const Index num_empty = skip_empty_lines();
      if (at_ == end_) return false;
      num_empty_lines_ += num_empty;
      if (is_blank(delimiter_)) at_ = skip_spaces(at_);
    }
    record_line_ = line_;
    record_begin_ = at_;
    return true;
  }

  /// Numbers records from now on: a line end in quotes begins no line.
  void count_records() { counts_records_ = true; }

  /// Returns the 1-based line on which the record starts.
  [[nodiscard]] std::size_t record_line() const { return record_line_; }

  /// Returns the text from the start of the record on.
  [[nodiscard]] std::string_view record_text() const {
    return text_between(record_begin_, end_);
  }

  /// Returns the number of empty lines before records.
  [[nodiscard]] Index num_empty_lines() const { return num_empty_lines_; }

  /// Returns a pointer to the first unread byte.
  [[nodiscard]] const char* next_byte() const { return at_; }

  /// Returns the 1-based line of next_byte().
  [[nodiscard]] std::size_t next_line() const { return line_; }

  /// Returns true if the last field of the record has been read.
  [[nodiscard]] bool record_ended() const { return record_ended_; }

  /// Returns the position of the first unread byte.
  [[nodiscard]] FilePosition position() const { return position_of(at_); }

  /// Moves past the next line end, which must not be in quotes.
  void skip_line() {
    const void* const line_end =
        std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
    finish_line(line_end == nullptr ? end_
                                    : static_cast<const char*>(line_end));
    record_ended_ = true;
  }

  /// Reads the next field if it is a plain number.
  ///
  /// \returns false if read_field() must be called instead
  bool read_number(double& value) {
    const char* next = detail::read_short_decimal(at_, end_, value);
    if (next == nullptr || !is_field_end(next)) {
      next = detail::read_long_decimal(at_, end_, value);
      if (next == nullptr || !is_field_end(next)) return false;
    }
    finish_field(next);
    return true;
  }

  /// Reads numbers that are followed by a delimiter.
  ///
  /// \param[out] values  [count]
  /// \returns the number of fields read; read_field() must read the others
  Index read_numbers(double* values, Index count) {
    if (is_blank(delimiter_)) return 0;
    const char* at = at_;
    Index num_read = 0;
    while (num_read < count) {
      const Index num_zeros =
          write_zero_fields(at, values + num_read, count - num_read);
      num_read += num_zeros;
      at += 2 * num_zeros;
      if (num_zeros != 0) continue;
      const char* const next = read_delimited(at, values[num_read]);
      if (next == nullptr) break;
      at = next;
      ++num_read;
    }
    if (num_read != 0) record_ended_ = false;
    at_ = at;
    return num_read;
  }

  /// Reads the next field.
  ///
  /// \throws DataError if quotes are wrong
  CsvField read_field() {
    const char* const begin = skip_spaces(at_);
    if (begin != end_ && *begin == '"') return read_quoted_field(begin);
    const char* stop = begin;
    while (!is_field_end(stop)) ++stop;
    const char* last = stop;
    while (last != begin && is_space(last[-1])) --last;
    const CsvField field{text_between(begin, last), position_of(begin), false};
    finish_field(stop);
    return field;
  }

 private:
  /// Reads four fields or one field that consist of '0' and a delimiter. In
  /// sparse data most fields do.
  /// \returns the number of fields read: 4, 1 or 0
  Index write_zero_fields(const char* at, double* values, Index count) const {
    if (end_ - at < 8) return 0;
    const std::uint64_t word = detail::load_8_bytes(at);
    if (word == four_zero_fields_ && count >= 4) {
      std::fill_n(values, 4, 0.0);
      return 4;
    }
    if ((word & 0xFFFF) != zero_field_) return 0;
    *values = 0.0;
    return 1;
  }

  /// Reads a number and the delimiter after it.
  /// \returns nullptr if there is something else
  const char* read_delimited(const char* at, double& value) const {
    const char* next = detail::read_short_decimal(at, end_, value);
    if (next != nullptr && next != end_ && *next == delimiter_) return next + 1;
    next = detail::read_long_decimal(at, end_, value);
    const bool is_delimited =
        next != nullptr && next != end_ && *next == delimiter_;
    return is_delimited ? next + 1 : nullptr;
  }

  static std::string_view text_between(const char* begin, const char* end) {
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  [[nodiscard]] FilePosition position_of(const char* byte) const {
    return {line_, static_cast<std::size_t>(byte - line_begin_) + 1};
  }

  /// Returns true for the delimiter of fields that spaces separate.
  [[nodiscard]] static bool is_blank(char byte) { return byte == ' '; }

  [[nodiscard]] bool is_space(char byte) const {
    return byte == ' ' || (byte == '\t' && delimiter_ != '\t');
  }

  [[nodiscard]] bool is_delimiter(char byte) const {
    return byte == delimiter_ || (is_blank(delimiter_) && byte == '\t');
  }

  [[nodiscard]] const char* skip_spaces(const char* at) const {
    while (at != end_ && is_space(*at)) ++at;
    return at;
  }

  [[nodiscard]] bool is_line_end(const char* at) const {
    if (at == end_ || *at == '\n') return true;
    if (*at != '\r') return false;
    at = skip_returns(at);
    return at == end_ || *at == '\n';
  }

  [[nodiscard]] bool is_field_end(const char* at) const {
    return at == end_ || is_delimiter(*at) || is_line_end(at);
  }

  /// Skips a CR, or a few: Windows makes CR CR LF of a CRLF that is written as text.
  [[nodiscard]] const char* skip_returns(const char* at) const {
    constexpr std::ptrdiff_t kMost = 4;
    const char* const stop = at + std::min(kMost, end_ - at);
    while (at != stop && *at == '\r') ++at;
    return at;
  }

  /// Moves past a line end.
  void finish_line(const char* at) {
    at = skip_returns(at);
    if (at != end_) {
      ++at;
      ++line_;
    }
    at_ = line_begin_ = at;
  }

  /// Moves past the delimiter or line end after a field.
  void finish_field(const char* at) {
    if (is_blank(delimiter_)) return finish_blank_field(at);
    record_ended_ = at == end_ || *at != delimiter_;
    if (record_ended_) {
      finish_line(at);
    } else {
      at_ = at + 1;
    }
  }

  /// Moves past the spaces after a field, and the line end if there is one.
  void finish_blank_field(const char* at) {
    at = skip_spaces(at);
    record_ended_ = is_line_end(at);
    at_ = at;
    if (record_ended_) finish_line(at);
  }

  /// \returns the number of lines
  Index skip_empty_lines() {
    Index num_lines = 0;
    while (at_ != end_) {
      const char* const at = skip_spaces(at_);
      if (!is_line_end(at)) break;
      ++num_lines;
      finish_line(at);
    }
    return num_lines;
  }

  CsvField read_quoted_field(const char* opening) {
    CsvField field;
    field.position = position_of(opening);
    const char* closing = find_quote(opening + 1, field.position);
    while (closing + 1 != end_ && closing[1] == '"') {
      field.has_doubled_quotes = true;
      closing = find_quote(closing + 2, field.position);
    }
    const std::string_view whole = text_between(opening + 1, closing);
    count_lines(whole);
    field.text = detail::trim_blanks(whole);
    const char* const next =
        is_blank(delimiter_) ? closing + 1 : skip_spaces(closing + 1);
    if (!is_field_end(next)) {
      throw DataError(source_, position_of(next),
                      "expected a delimiter after the closing quote, got " +
                          in_quotes(text_between(next, next + 1)) +
                          "; double the quotes inside of a field");
    }
    finish_field(next);
    return field;
  }

  [[nodiscard]] const char* find_quote(const char* from,
                                       FilePosition opening) const {
    const void* const quote =
        std::memchr(from, '"', static_cast<std::size_t>(end_ - from));
    if (quote == nullptr) {
      throw DataError(source_, opening,
                      "the quote that opens here is never closed; expected "
                      "another one before the end of the file");
    }
    return static_cast<const char*>(quote);
  }

  /// Counts the line ends inside a quoted field.
  void count_lines(std::string_view text) {
    for (const char& byte : text) {
      if (byte != '\n') continue;
      if (!counts_records_) ++line_;
      line_begin_ = &byte + 1;
    }
  }

  const char* at_;
  const char* end_;
  const char* line_begin_;
  const char* record_begin_ = at_;
  std::size_t line_;
  Index num_empty_lines_ = 0;
  std::size_t record_line_ = 1;
  bool record_ended_ = false;
  bool counts_records_ = false;
  char delimiter_;

  /// "0" and a delimiter, and four of them, in the format of load_8_bytes().
  std::uint64_t zero_field_ = 0;
  std::uint64_t four_zero_fields_ = 0;

  std::string source_;
};

}  // namespace mlp::datasets
