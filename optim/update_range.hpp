// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../core/types.hpp"

namespace mlp::optim {

/// A range of the flat weights that an update rule may change.
///
/// Weights outside all ranges, such as those of frozen layers, neither change
/// nor decay.
struct UpdateRange {
  Index first = 0;
  Index size = 0;
  bool decays = false;  ///< weight_decay applies: true for weights, not biases
};

/// A vector that an update rule changes in place   [num_weights].
template <typename Number>
using FlatRef = Eigen::Ref<Eigen::Matrix<Number, Eigen::Dynamic, 1>>;

/// A vector that an update rule reads   [num_weights].
template <typename Number>
using ConstFlatRef = Eigen::Ref<const Eigen::Matrix<Number, Eigen::Dynamic, 1>>;

namespace detail {

/// The numbers of one computation: 32 bytes, which compilers keep in registers.
template <typename Number>
using UpdateChunk =
    Eigen::Array<Number, static_cast<int>(32 / sizeof(Number)), 1>;

/// Loads the first count numbers of a chunk and sets the rest to zero.
///
/// The last, short chunk of a range is thus computed with the same instructions
/// as a full one. The bits of a weight do not depend on the bounds of its
/// range.
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
