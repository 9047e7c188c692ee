// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "../../core/types.hpp"

namespace mlp {

/// Computes what each instance weighs in Spark's objective.
///
/// Spark stacks the rows of each partition into blocks of block_size, the last
/// of a partition shorter, takes the mean over each block and then the mean over
/// all blocks. An instance therefore weighs 1 / (|its block| blocks): one in a
/// short last block weighs more. Empty partitions have no block.
///
/// \param partition_sizes  instances per partition, in order; each >= 0
/// \pre    block_size >= 1
/// \return [sum of partition_sizes], sums to 1 if there is any instance
/// \source Spark ml/ann/Layer.scala, DataStacker and ANNGradient
[[nodiscard]] inline Vector block_weights(
    const std::vector<Index>& partition_sizes, Index block_size) {
  Index num_instances = 0;
  Index num_blocks = 0;
  for (const Index size : partition_sizes) {
    num_instances += size;
    num_blocks += size / block_size + (size % block_size != 0 ? 1 : 0);
  }
  Vector weights(num_instances);
  Index at = 0;
  for (const Index size : partition_sizes) {
    for (Index left = size; left > 0;) {
      const Index block = std::min(left, block_size);
      weights.segment(at, block).setConstant(
          1.0 / (static_cast<double>(block) * static_cast<double>(num_blocks)));
      at += block;
      left -= block;
    }
  }
  return weights;
}

}  // namespace mlp
