// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../core/types.hpp"

namespace mlp::optim {

/// A part of the flat weights that an update rule may change. Weights outside
/// of every range (those of frozen layers) are neither moved nor decayed.
struct UpdateRange {
  Index first = 0;
  Index size = 0;
  bool decays = false;  ///< weight_decay applies: weights do, biases do not
};

/// Flat numbers that a rule changes in place   [num_weights].
template <typename Number>
using FlatRef = Eigen::Ref<Eigen::Matrix<Number, Eigen::Dynamic, 1>>;

/// Flat numbers that a rule reads   [num_weights].
template <typename Number>
using ConstFlatRef = Eigen::Ref<const Eigen::Matrix<Number, Eigen::Dynamic, 1>>;

namespace detail {

/// What a rule computes at once: 32 bytes, which compilers keep in registers.
template <typename Number>
using UpdateChunk =
    Eigen::Array<Number, static_cast<int>(32 / sizeof(Number)), 1>;

/// Loads a chunk, with zeros behind its first count numbers. The last, short
/// chunk of a range so passes the same instructions as a full one: the bits of
/// a weight do not depend on where a range begins or ends.
template <typename Number>
inline UpdateChunk<Number> load_chunk(const Number* from, Index count) {
  using Chunk = UpdateChunk<Number>;
  if (count == Chunk::SizeAtCompileTime) return Eigen::Map<const Chunk>(from);
  Chunk chunk = Chunk::Zero();
  for (Index i = 0; i < count; ++i) chunk[i] = from[i];
  return chunk;
}

/// Stores the first count numbers of a chunk.
template <typename Number>
inline void store_chunk(const UpdateChunk<Number>& chunk, Index count,
                        Number* to) {
  using Chunk = UpdateChunk<Number>;
  if (count == Chunk::SizeAtCompileTime) {
    Eigen::Map<Chunk> numbers(to);
    numbers = chunk;
    return;
  }
  for (Index i = 0; i < count; ++i) to[i] = chunk[i];
}

}  // namespace detail

}  // namespace mlp::optim
