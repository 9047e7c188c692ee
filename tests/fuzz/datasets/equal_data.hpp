// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compares what one thread has read of a data file with what three have read.

#include <cstring>

#include "../../../core/types.hpp"
#include "../../../datasets/dataset.hpp"
#include "../../../datasets/reading/reader_threads.hpp"
#include "../outcome.hpp"

namespace mlp::fuzz {

/// Pieces of a few bytes, which give small files many of them.
inline constexpr datasets::detail::PieceSizes kSmallPieces{1, 5, 2};

inline constexpr int kManyThreads = 3;

/// Compares bits, since -0 equals 0.
template <typename Numbers>
bool has_same_bits(const Numbers& a, const Numbers& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       static_cast<std::size_t>(a.size()) *
                                           sizeof(double)) == 0);
}

inline void require_equal(const datasets::Dataset& a,
                          const datasets::Dataset& b) {
  require(has_same_bits(a.features, b.features), "equal features");
  require(has_same_bits(a.labels, b.labels), "equal labels");
  require(has_same_bits(a.weights, b.weights), "equal weights");
  require(a.label_texts == b.label_texts, "equal label texts");
  require(a.feature_names == b.feature_names, "equal feature names");
  require(a.columns == b.columns, "equal columns");
  require(a.label_name == b.label_name, "equal label names");
  require(a.lines == b.lines, "equal lines");
  require(a.stored_zeros == b.stored_zeros, "equal stored zeros");
}

/// Ends the process unless both are equal data or the same error.
inline void require_equal(const Outcome<datasets::Dataset>& a,
                          const Outcome<datasets::Dataset>& b) {
  require(a.error == b.error, "the same error");
  if (a.value && b.value) require_equal(*a.value, *b.value);
}

}  // namespace mlp::fuzz
