// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The two-loop recursion of L-BFGS in one block, for few weights.

#include <cuda_runtime.h>

#include "lbfgs_memory.hpp"

namespace mlp::cuda {

/// The most weights whose direction one block computes. More have the Gram form
/// (lbfgs_gram.hpp), which reads the corrections with the whole device.
inline constexpr Index kMaxTwoLoopWeights = 4096;

/// Computes direction = -H gradient as optim::LbfgsHistory::descend(), its
/// products with the gradient and with itself, and the curvature of the newest
/// correction.
///
/// The direction stays in registers between the steps of the loops, so that each
/// step costs one sum over the block.
/// \pre  memory.num_weights <= kMaxTwoLoopWeights
/// \cost 8 num_corrections num_weights flops; reads each correction about twice;
///       one launch of one block
/// \source Nocedal and Wright 2006, Numerical Optimization, algorithm 7.4
void choose_direction_in_block(const LbfgsMemory& memory, cudaStream_t stream);

/// Computes the curvatures s.y of all corrections, with the bits of
/// choose_direction_in_block().
void compute_curvatures_in_block(const LbfgsMemory& memory,
                                 cudaStream_t stream);

}  // namespace mlp::cuda
