// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../dataset.hpp"
#include "../reading/limits.hpp"
#include "../reading/quoted.hpp"
#include "../reading/short_decimal.hpp"
#include "../reading/text_file.hpp"

/// Reader for consecutive lines of LIBSVM text.
namespace mlp::datasets::detail {

/// Returns true for a byte that separates tokens: a space, a tab or the CR of a
/// CRLF.
inline bool is_libsvm_space(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r';
}

/// Removes and returns the next token of a line; empty at the end of the line.
inline std::string_view take_token(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_libsvm_space(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_libsvm_space(line[end])) ++end;
  const std::string_view token = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return token;
}

/// Removes and returns the next line of a text, without its LF.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// Returns true for a line without an instance: empty or a comment.
inline bool is_libsvm_comment(std::string_view line) {
  const std::string_view first = take_token(line);
  return first.empty() || first.front() == '#';
}

/// Returns the text of the last index of a line, or a null view.
inline std::string_view last_libsvm_index(std::string_view line) {
  const std::size_t colon = line.rfind(':');
  if (colon == std::string_view::npos) return {};
  std::size_t begin = colon;
  while (begin > 0 && !is_libsvm_space(line[begin - 1])) --begin;
  return line.substr(begin, colon - begin);
}

/// The number of instances and features of some lines of LIBSVM text.
struct LibsvmSize {
  Index num_instances = 0;
  Index largest_index = 0;
};

/// Reads consecutive lines of LIBSVM text.
///
/// Several readers may write to the same dataset at the same time.
class LibsvmPieceReader {
 public:
  /// \param piece, source  must outlive this object
  /// \param lines_before   the number of lines of the files before that of the
  ///                       piece
  LibsvmPieceReader(const TextPiece& piece, const std::string& source,
                    Index lines_before = 0)
      : piece_(piece), source_(source), lines_before_(lines_before) {}

  /// Counts the instances and finds the largest index. Indices ascend, so it is
  /// the last index of a line. read() reports lines that are not in this order.
  ///
  /// \throws DataError if the last index of a line is not valid
  [[nodiscard]] LibsvmSize measure() {
    LibsvmSize size;
    start();
    while (next_line()) {
      ++size.num_instances;
      const std::string_view text = last_libsvm_index(line_);
      if (text.data() == nullptr) continue;
      size.largest_index = std::max(size.largest_index, read_index(text));
    }
    return size;
  }

  /// \throws DataError at the first line that does not start with a number
  void check_labels() {
    start();
    while (next_line()) {
      std::string_view tokens = line_;
      static_cast<void>(read_label(take_token(tokens)));
    }
  }

  /// Reads the instances.
  ///
  /// \param data            has space for all instances of the file; its
  ///                        features may have any values
  /// \param first_instance  index of the first line's instance
  /// \returns the explicit zeros of the text
  /// \throws DataError at the first invalid line
  std::vector<StoredZero> read(Dataset& data, Index first_instance) {
    start();
    instance_ = first_instance;
    num_features_ = data.features.rows();
    zeros_.clear();
    for (; next_line(); ++instance_) {
      std::string_view tokens = line_;
      data.labels[instance_] = read_label(take_token(tokens));
      data.lines[static_cast<std::size_t>(instance_)] =
          lines_before_ + static_cast<Index>(line_number_);
      read_pairs(tokens, data.features.col(instance_).data());
    }
    return std::move(zeros_);
  }

  /// Returns the index behind the last instance that was read.
  [[nodiscard]] Index next_instance() const { return instance_; }

 private:
  void start() {
    rest_ = piece_.text;
    line_number_ = piece_.first_line - 1;
  }

  /// Moves to the next line with an instance.
  bool next_line() {
    while (!rest_.empty()) {
      line_ = take_line(rest_);
      ++line_number_;
      if (!is_libsvm_comment(line_)) return true;
    }
    return false;
  }

  /// \param tokens       the rest of the line
  /// \param[out] values  features of the instance   [num_features]
  void read_pairs(std::string_view tokens, double* values) {
    const char* const end = tokens.data() + tokens.size();
    const char* at = tokens.data();
    Index previous = 0;
    while (true) {
      while (at != end && is_libsvm_space(*at)) ++at;
      if (at == end) break;
      Pair pair = read_plain_pair(at, end);
      if (pair.end == nullptr || pair.index <= previous ||
          pair.index > num_features_) {
        pair = read_pair(at, end, previous);
      }
      std::fill(values + previous, values + pair.index - 1, 0.0);
      values[pair.index - 1] = pair.value;
      if (pair.value == 0.0) zeros_.push_back({instance_, pair.index - 1});
      previous = pair.index;
      at = pair.end;
    }
    std::fill(values + previous, values + num_features_, 0.0);
  }

  /// An index and its value.
  struct Pair {
    const char* end = nullptr;  ///< null if no pair was read
    Index index = 0;
    double value = 0.0;
  };

  /// Reads a pair with a short index and a short number, the most common kind.
  ///
  /// \param end  end of the line
  [[nodiscard]] Pair read_plain_pair(const char* at, const char* end) const {
    constexpr std::ptrdiff_t kMostDigits = 8;
    // Reading byte by byte lets the processor predict the number of digits and
    // start with the value early.
    std::uint64_t index = 0;
    const char* const colon = read_digits(at, end, index);
    if (colon == end || *colon != ':' || colon - at > kMostDigits) return {};
    const char* const text_end = piece_.text.data() + piece_.text.size();
    Pair pair{nullptr, static_cast<Index>(index), 0.0};
    const char* const next =
        read_short_decimal(colon + 1, text_end, pair.value);
    if (next != nullptr && (next == end || is_libsvm_space(*next))) {
      pair.end = next;
    }
    return pair;
  }

  /// Reads a pair of any kind.
  ///
  /// \param end  end of the line
  /// \throws DataError if the pair or its index is not valid
  [[nodiscard]] Pair read_pair(const char* at, const char* end,
                               Index previous) const {
    std::string_view rest(at, static_cast<std::size_t>(end - at));
    const std::string_view pair = take_token(rest);
    const std::size_t colon = pair.find(':');
    if (colon == std::string_view::npos) {
      throw_at(pair, "expected index:value, got " + in_quotes(pair));
    }
    const Index index = read_index(pair.substr(0, colon));
    check_index(index, previous, pair);
    return {rest.data(), index,
            read_number(pair.substr(colon + 1), "a number")};
  }

  [[nodiscard]] std::int64_t read_index(std::string_view text) const {
    const auto index = parse_int(text);
    if (!index || *index < 1) {
      const bool is_zero = index && *index == 0;
      throw_at(text,
               "expected an index of 1 or more, got " + in_quotes(text) +
                   (is_zero ? "; write indices from 1, in scikit-learn with "
                              "dump_svmlight_file(..., zero_based=False)"
                            : ""));
    }
    if (*index > kLargestIndex) {
      throw_at(text, std::string("the index is too large; expected at most ")
                         .append(std::to_string(kLargestIndex))
                         .append(", got ")
                         .append(std::to_string(*index)));
    }
    return *index;
  }

  /// \throws DataError if the index is out of order or out of range
  void check_index(Index index, Index previous, std::string_view text) const {
    const auto refuse = [&](const char* expected, const char* relation,
                            Index other) {
      throw_at(text, std::string(expected)
                         .append(std::to_string(index))
                         .append(relation)
                         .append(std::to_string(other)));
    };
    constexpr const char* kAscending = "expected ascending indices, got ";
    if (index <= previous) refuse(kAscending, " after ", previous);
    if (index <= num_features_) return;
    const auto last = parse_int(last_libsvm_index(line_));
    if (last && *last < index) refuse(kAscending, " before ", *last);
    throw_at(text, std::string("expected an index of at most ")
                       .append(std::to_string(num_features_))
                       .append(", got ")
                       .append(std::to_string(index)));
  }

  [[nodiscard]] double read_label(std::string_view text) const {
    return read_number(text, "a number as the label");
  }

  /// \param expected  what the text must be, for messages
  [[nodiscard]] double read_number(std::string_view text,
                                   const char* expected) const {
    double value = 0.0;
    const char* const end = text.data() + text.size();
    if (read_short_decimal(text.data(), end, value) == end) return value;
    const auto number = parse_double(text);
    if (number) return *number;
    throw_at(text, std::string("expected ")
                       .append(expected)
                       .append(", got ")
                       .append(in_quotes(text)));
  }

  /// \param token  the invalid part of the line
  [[noreturn]] void throw_at(std::string_view token,
                             const std::string& sentence) const {
    const auto offset = static_cast<std::size_t>(token.data() - line_.data());
    throw DataError(source_, FilePosition{line_number_, offset + 1}, sentence);
  }

  static constexpr auto kLargestIndex = static_cast<std::int64_t>(kMaxFeatures);

  const TextPiece& piece_;
  const std::string& source_;
  Index lines_before_;
  std::string_view rest_;
  std::string_view line_;
  std::size_t line_number_ = 0;
  Index instance_ = 0;
  Index num_features_ = 0;
  std::vector<StoredZero> zeros_;
};

}  // namespace mlp::datasets::detail
