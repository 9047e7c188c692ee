// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../core/error.hpp"
#include "../core/number_text.hpp"
#include "../core/read_file.hpp"
#include "dataset.hpp"
#include "limits.hpp"
#include "quoted.hpp"
#include "short_decimal.hpp"
#include "text_lines.hpp"

namespace mlp::datasets {

namespace detail {

/// Spaces, tabs and the CR of a CRLF part the tokens of a LIBSVM line.
inline bool is_libsvm_space(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r';
}

/// Takes the next token off a line; empty at the line's end.
inline std::string_view take_token(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_libsvm_space(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_libsvm_space(line[end])) ++end;
  const std::string_view token = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return token;
}

/// Takes the next line off a text, without its LF.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// True for lines without an instance: empty ones, and comments.
inline bool is_libsvm_comment(std::string_view line) {
  const std::string_view first = take_token(line);
  return first.empty() || first.front() == '#';
}

/// The text of the last index of a line; without data if there is none.
inline std::string_view last_libsvm_index(std::string_view line) {
  const std::size_t colon = line.rfind(':');
  if (colon == std::string_view::npos) return {};
  std::size_t begin = colon;
  while (begin > 0 && !is_libsvm_space(line[begin - 1])) --begin;
  return line.substr(begin, colon - begin);
}

/// Reads LIBSVM text in two passes: the sizes, then the values.
class LibsvmReader {
 public:
  LibsvmReader(std::string_view text, const std::string& source,
               Index num_features)
      : text_(text), num_features_(num_features) {
    data_.source = source;
    data_.vector_kind = VectorKind::kSparse;
  }

  [[nodiscard]] Dataset read() {
    measure();
    check_size();
    data_.features = Matrix::Zero(num_features_, num_instances_);
    data_.labels.resize(num_instances_);
    data_.lines.reserve(static_cast<std::size_t>(num_instances_));
    std::string_view rest = text_;
    for (line_number_ = 1; !rest.empty(); ++line_number_) {
      line_ = take_line(rest);
      if (!is_libsvm_comment(line_)) read_instance(line_);
    }
    return std::move(data_);
  }

 private:
  /// Indices ascend, so that the last one of each line tells the width; lines
  /// that break the rule are met in the second pass.
  void measure() {
    std::string_view rest = text_;
    std::int64_t largest = 0;
    for (line_number_ = 1; !rest.empty(); ++line_number_) {
      line_ = take_line(rest);
      if (is_libsvm_comment(line_)) continue;
      ++num_instances_;
      const std::string_view text = last_libsvm_index(line_);
      if (text.data() == nullptr) continue;
      largest = std::max(largest, read_index(text));
    }
    if (num_features_ == 0) num_features_ = largest;
  }

  /// \throws DataError at the first line that does not start with a number
  void check_labels() {
    std::string_view rest = text_;
    for (line_number_ = 1; !rest.empty(); ++line_number_) {
      line_ = take_line(rest);
      std::string_view tokens = line_;
      if (!is_libsvm_comment(line_)) read_label(take_token(tokens));
    }
  }

  void check_size() {
    if (num_instances_ == 0) {
      throw DataError(data_.source,
                      "holds no data; expected lines of label index:value ...");
    }
    const auto width = static_cast<std::uint64_t>(num_features_);
    const auto height = static_cast<std::uint64_t>(num_instances_);
    check_matrix_size(data_.source, width, height);
    const std::uint64_t bytes = width * height * sizeof(double);
    const std::uint64_t most = kFreeBytes + kMaxExpansion * text_.size();
    if (width == 0) {
      check_labels();
      throw DataError(data_.source,
                      "holds labels only; expected lines of label index:value "
                      "...");
    }
    if (bytes > most) {
      throw DataError(
          data_.source,
          "is too sparse to be held as a dense matrix; expected at most " +
              std::to_string(most) + " bytes for a file of this size, got " +
              std::to_string(height) + " instances of " +
              std::to_string(width) + " features; check the largest index");
    }
  }

  void read_instance(std::string_view rest) {
    data_.labels[instance_] = read_label(take_token(rest));
    data_.lines.push_back(line_number_);
    Index previous = 0;
    for (auto pair = take_token(rest); !pair.empty(); pair = take_token(rest)) {
      previous = read_pair(pair, previous);
    }
    ++instance_;
  }

  /// \returns the pair's index
  Index read_pair(std::string_view pair, Index previous) {
    const std::size_t colon = pair.find(':');
    if (colon == std::string_view::npos) {
      throw_at(pair, "expected index:value, got " + in_quotes(pair));
    }
    const Index index = read_index(pair.substr(0, colon));
    check_index(index, previous, pair);
    const std::string_view text = pair.substr(colon + 1);
    const double value = read_value(text);
    data_.features(index - 1, instance_) = value;
    if (value == 0.0) data_.stored_zeros.push_back({instance_, index - 1});
    return index;
  }

  [[nodiscard]] std::int64_t read_index(std::string_view text) const {
    const auto index = parse_int(text);
    if (!index || *index < 1) {
      throw_at(text, "expected an index of 1 or more, got " + in_quotes(text));
    }
    if (*index > kLargestIndex) {
      throw_at(text, "the index is too large; expected at most " +
                         std::to_string(kLargestIndex) + ", got " +
                         std::to_string(*index));
    }
    return *index;
  }

  /// \throws DataError if the index does not fit the others of its line
  void check_index(Index index, Index previous, std::string_view text) const {
    if (index <= previous) {
      throw_at(text, "expected ascending indices, got " +
                         std::to_string(index) + " after " +
                         std::to_string(previous));
    }
    if (index <= num_features_) return;
    const auto last = parse_int(last_libsvm_index(line_));
    if (last && *last < index) {
      throw_at(text, "expected ascending indices, got " +
                         std::to_string(index) + " before " +
                         std::to_string(*last));
    }
    throw_at(text, "expected an index of at most " +
                       std::to_string(num_features_) + ", got " +
                       std::to_string(index));
  }

  double read_label(std::string_view text) const {
    const auto number = parse_double(text);
    if (!number) {
      throw_at(text, "expected a number as the label, got " + in_quotes(text));
    }
    return *number;
  }

  [[nodiscard]] double read_value(std::string_view text) const {
    double value = 0.0;
    const char* const end = text.data() + text.size();
    if (read_short_decimal(text.data(), end, value) == end) return value;
    const auto number = parse_double(text);
    if (!number) throw_at(text, "expected a number, got " + in_quotes(text));
    return *number;
  }

  /// \param token  a part of the line at fault
  [[noreturn]] void throw_at(std::string_view token,
                             const std::string& sentence) const {
    const auto offset = static_cast<std::size_t>(token.data() - line_.data());
    throw DataError(
        data_.source,
        FilePosition{static_cast<std::size_t>(line_number_), offset + 1},
        sentence);
  }

  static constexpr auto kLargestIndex = static_cast<std::int64_t>(kMaxFeatures);
  static constexpr std::uint64_t kFreeBytes = std::uint64_t{64} << 20;
  static constexpr std::uint64_t kMaxExpansion = 1024;

  std::string_view text_;
  std::string_view line_;
  Dataset data_;
  Index num_features_;
  Index num_instances_ = 0;
  Index instance_ = 0;
  Index line_number_ = 1;
};

}  // namespace detail

/// Reads LIBSVM text: a line for each instance, `label index:value ...`.
///
/// Indices start at 1 and ascend; spaces and tabs part the tokens; empty lines
/// and lines that start with '#' do not count. The instances are kSparse: the
/// zeros that the file states are kept as stored_zeros.
/// \param source        the file's name in messages
/// \param num_features  0: the largest index of the file
/// \throws DataError with file, line and column; also if the dense matrix would
///         exceed 2^20 features, or 1,024 times the text and 64 MiB; ParamError
///         if num_features is negative
[[nodiscard]] inline Dataset read_libsvm(std::string_view text,
                                         const std::string& source,
                                         Index num_features = 0) {
  if (num_features < 0) {
    throw ParamError("num_features must be 0 or more, got " +
                     std::to_string(num_features));
  }
  text = detail::without_byte_order_mark(text);
  static_cast<void>(detail::count_lines_checked(text, source));
  return detail::LibsvmReader(text, source, num_features).read();
}

/// Reads a LIBSVM file.
///
/// \throws what read_libsvm() and read_file() throw
[[nodiscard]] inline Dataset read_libsvm_file(const std::string& path,
                                              Index num_features = 0) {
  return read_libsvm(read_file<DataError>(path), path, num_features);
}

}  // namespace mlp::datasets
