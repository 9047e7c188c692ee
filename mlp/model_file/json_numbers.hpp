// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers of a long JSON array, read on all processors.

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "../../core/decimals/decimal.hpp"
#include "../../core/decimals/digits.hpp"
#include "../../core/error.hpp"
#include "../../core/memory/huge_pages.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"

namespace mlp::detail {

inline bool is_json_digit(char byte) { return byte >= '0' && byte <= '9'; }

/// Returns the first byte that is not white space, or the end.
inline const char* skip_json_space(const char* at, const char* end) {
  // One comparison for most bytes of numbers.
  while (at != end && *at <= ' ' &&
         (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) {
    ++at;
  }
  return at;
}

/// Bytes that read_plain_number() may look at: the sign and two steps of
/// find_non_digits().
inline constexpr std::size_t kPlainNumberWindow = 33;

/// Reads a number such as -0.0123456789012345 without a loop over its digits.
///
/// \pre    text.size() >= kPlainNumberWindow
/// \return the number of bytes read; 0 for a number of another form, for example
///         an integer, and for most with more than 19 digits
inline std::size_t read_plain_number(std::string_view text, double& number) {
  constexpr unsigned kMostDecimals = 24;
  constexpr unsigned kMostDigits = 19;  // fit into 64 bits
  const std::size_t is_negative = text[0] == '-' ? 1 : 0;
  const char* const first = text.data() + is_negative;
  unsigned stops = find_non_digits(first) | find_non_digits(first + 16) << 16;
  if ((stops & 3) != 2 || first[1] != '.') return 0;
  stops &= stops - 1;
  const auto end = static_cast<unsigned>(std::countr_zero(stops));
  const unsigned num_decimals = end - 2;
  if (num_decimals == 0 || num_decimals > kMostDecimals) return 0;
  if ((first[end] | 0x20) == 'e') return 0;
  const auto whole = static_cast<std::uint64_t>(first[0] - '0');
  std::uint64_t digits = 0;
  if (num_decimals < 16) {
    digits = append_digits(whole, first + 2, num_decimals);
  } else {
    digits = value_of_16_digits(first + 2);
    // Of more digits, the first must be zeros.
    constexpr std::uint64_t kMost = 1'000'000'000'000'000'000;
    if (num_decimals >= kMostDigits &&
        (whole != 0 ||
         digits >= kMost / kIntegerPowersOf10[num_decimals - 16] * 10)) {
      return 0;
    }
    digits += whole * 10'000'000'000'000'000;
    digits = append_digits_of_word(digits, first + 18, num_decimals - 16);
  }
  // No branch on the sign, which no processor predicts.
  const std::uint64_t sign = std::uint64_t{is_negative} << 63;
  number = std::bit_cast<double>(
      std::bit_cast<std::uint64_t>(round_decimal(digits, num_decimals)) | sign);
  return is_negative + end;
}

/// Reads one number with the same result as the parser and parse_double().
///
/// \return the number of bytes read; 0 if the parser and parse_double() may
///         refuse it or read another number: a text that is not a JSON number,
///         overflow, underflow, and the integer -0, which is 0 for the parser
inline std::size_t read_json_number(std::string_view text, double& number) {
  if (text.size() >= kPlainNumberWindow) {
    const std::size_t size = read_plain_number(text, number);
    if (size != 0) return size;
  }
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

/// Reads numbers separated by commas.
///
/// \param count  of numbers, one more than of commas
/// \return false unless they are the whole text
inline bool read_json_numbers(std::string_view text, Index count,
                              double* numbers) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (Index i = 0; i + 1 < count; ++i) {
    at = skip_json_space(at, end);
    const std::size_t size = read_json_number({at, end}, numbers[i]);
    if (size == 0) return false;
    at = skip_json_space(at + size, end);
    if (at == end || *at != ',') return false;
    ++at;
  }
  at = skip_json_space(at, end);
  const std::size_t size = read_json_number({at, end}, numbers[count - 1]);
  return size != 0 && skip_json_space(at + size, end) == end;
}

/// A part of a text of numbers, between two commas.
struct NumbersPiece {
  std::string_view text;
  Index first = 0;  ///< number of the array
  Index count = 0;
};

/// Cuts a text of numbers at commas into pieces of about equal length.
inline std::vector<NumbersPiece> cut_numbers(std::string_view text) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 18;
  std::vector<NumbersPiece> pieces;
  while (true) {
    const std::size_t comma =
        text.find(',', std::min(kPieceBytes, text.size()));
    pieces.push_back({text.substr(0, comma)});
    if (comma == text.npos) return pieces;
    text.remove_prefix(comma + 1);
  }
}

/// Counts the commas of a text.
inline Index count_commas(std::string_view text) {
  // Compilers make vector instructions of a loop over so many bytes, whose count
  // fits into one byte.
  constexpr std::size_t kBlockBytes = 128;
  Index count = 0;
  for (; text.size() >= kBlockBytes; text.remove_prefix(kBlockBytes)) {
    std::uint8_t in_block = 0;
    for (std::size_t i = 0; i < kBlockBytes; ++i) {
      in_block = static_cast<std::uint8_t>(in_block + (text[i] == ','));
    }
    count += in_block;
  }
  return count + std::count(text.begin(), text.end(), ',');
}

/// Starts threads for pieces of work, at most one per processor. It takes part
/// itself if the machine cannot start others.
inline std::unique_ptr<ThreadPool> start_threads(std::size_t num_pieces) {
  const std::size_t most = std::max(1u, std::thread::hardware_concurrency());
  try {
    return std::make_unique<ThreadPool>(
        static_cast<int>(std::min(most, num_pieces)));
  } catch (const ResourceError&) {
    return std::make_unique<ThreadPool>(1);
  }
}

/// Reads the content of an array of numbers, on all processors if it is long.
///
/// \return nothing if one number is not of the form of read_json_number()
/// \cost   allocates for as many numbers as the text has room for, at most
inline std::optional<Vector> read_number_list(std::string_view text) {
  std::vector<NumbersPiece> pieces = cut_numbers(text);
  const auto num_pieces = static_cast<Index>(pieces.size());
  const auto pool = start_threads(pieces.size());
  pool->parallel_for(num_pieces, [&](Index i, int) {
    NumbersPiece& piece = pieces[static_cast<std::size_t>(i)];
    piece.count = 1 + count_commas(piece.text);
  });
  Index count = 0;
  for (NumbersPiece& piece : pieces) {
    piece.first = count;
    count += piece.count;
  }
  // Each number has at least one digit.
  if (2 * static_cast<std::size_t>(count) - 1 > text.size()) {
    return std::nullopt;
  }
  Vector numbers(count);
  advise_huge_pages(numbers.data(),
                    static_cast<std::size_t>(count) * sizeof(double));
  std::atomic<bool> is_read = true;
  pool->parallel_for(num_pieces, [&](Index i, int) {
    const NumbersPiece& piece = pieces[static_cast<std::size_t>(i)];
    if (!is_read) return;
    if (!read_json_numbers(piece.text, piece.count,
                           numbers.data() + piece.first)) {
      is_read = false;
    }
  });
  return is_read ? std::optional(std::move(numbers)) : std::nullopt;
}

}  // namespace mlp::detail
