// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers of weights as JSON text, made on all processors.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/decimals/shortest_decimal.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "json_base64.hpp"
#include "json_numbers.hpp"

namespace mlp {

/// The encoding of the weights in a model file.
enum class WeightsEncoding {
  kDecimal,  ///< the shortest decimals that read back as the same numbers
  kBase64,   ///< little-endian float64: about 11 bytes a weight, not 20
};

namespace detail {

/// Weights of one piece of text.
inline constexpr Index kPieceWeights = Index{3} << 14;

/// Writes a finite number, the shortest text that reads back as the same. JSON
/// readers read -0 as the integer 0, so a negative zero is written with a decimal
/// point.
///
/// \param to  [kDecimalRoom]
/// \return the end of the text
inline char* write_json_number(double number, char* to) {
  if (number == 0.0 && std::signbit(number)) {
    constexpr std::string_view kNegativeZero = "-0.0";
    return std::copy(kNegativeZero.begin(), kNegativeZero.end(), to);
  }
  return write_decimal(number, to);
}

/// Appends a finite number as write_json_number() does.
inline void append_json_number(std::string& json, double number) {
  std::array<char, kDecimalRoom> text;
  json.append(text.data(), write_json_number(number, text.data()));
}

/// The most bytes that append_weights() appends.
inline std::size_t most_weights_bytes(Index num_weights,
                                      WeightsEncoding encoding) {
  const auto count = static_cast<std::size_t>(num_weights);
  return 2 + (encoding == WeightsEncoding::kDecimal
                  ? count * (kMostDecimalBytes + 1)
                  : base64_size(count));
}

/// The text of a piece of the weights.
struct WeightsPiece {
  std::string room;  ///< never shrinks, so that it is not cleared again
  std::size_t size = 0;
};

/// Writes numbers with a comma behind each.
inline void write_numbers(const ConstVectorRef& numbers, WeightsPiece& piece) {
  const auto count = static_cast<std::size_t>(numbers.size());
  const std::size_t most = count * (kMostDecimalBytes + 1) + kDecimalRoom;
  piece.room.resize(std::max(piece.room.size(), most));
  char* to = piece.room.data();
  for (const double number : numbers) {
    to = write_json_number(number, to);
    *to++ = ',';
  }
  piece.size = static_cast<std::size_t>(to - piece.room.data());
}

/// Appends weights as numbers between commas.
template <typename OnGrowth>
void append_decimals(std::string& json, const Vector& weights,
                     OnGrowth on_growth) {
  constexpr Index kPiecesPerThread = 4;
  const Index num_pieces = (weights.size() + kPieceWeights - 1) / kPieceWeights;
  const auto pool = start_threads(static_cast<std::size_t>(num_pieces));
  const Index most = kPiecesPerThread * pool->num_threads();
  std::vector<WeightsPiece> pieces(
      static_cast<std::size_t>(std::min(most, num_pieces)));
  for (Index first = 0; first < num_pieces; first += most) {
    const Index count = std::min(most, num_pieces - first);
    pool->parallel_for(count, [&](Index i, int) {
      const Index begin = (first + i) * kPieceWeights;
      const Index size = std::min(kPieceWeights, weights.size() - begin);
      write_numbers(weights.segment(begin, size),
                    pieces[static_cast<std::size_t>(i)]);
    });
    for (Index i = 0; i < count; ++i) {
      const WeightsPiece& piece = pieces[static_cast<std::size_t>(i)];
      json.append(piece.room, 0, piece.size);
    }
    if (first + count < num_pieces) on_growth();
  }
  if (num_pieces > 0) json.pop_back();  // the last comma
}

/// Appends weights as base64.
template <typename OnGrowth>
void append_base64(std::string& json, const Vector& weights,
                   OnGrowth on_growth) {
  for (Index first = 0; first < weights.size(); first += kPieceWeights) {
    const Index size = std::min(kPieceWeights, weights.size() - first);
    const std::size_t old_size = json.size();
    json.resize(old_size + base64_size(static_cast<std::uint64_t>(size)));
    write_base64(weights.segment(first, size), json.data() + old_size);
    on_growth();
  }
}

/// Appends the member "data" of the weights.
///
/// \param on_growth  called without arguments when bytes were appended
/// \pre    the weights are finite; json has room for most_weights_bytes()
template <typename OnGrowth>
void append_weights(std::string& json, const Vector& weights,
                    WeightsEncoding encoding, OnGrowth on_growth) {
  if (encoding == WeightsEncoding::kDecimal) {
    json += '[';
    append_decimals(json, weights, on_growth);
    json += ']';
  } else {
    json += '"';
    append_base64(json, weights, on_growth);
    json += '"';
  }
}

}  // namespace detail

}  // namespace mlp
