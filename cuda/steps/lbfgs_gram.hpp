// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The direction of L-BFGS in Gram form.
///
/// The two-loop recursion needs dot products only. With s_i, y_i from the oldest
/// i = 1 to the newest i = m, and g the gradient:
///
///   for i = m .. 1:  a_i = s_i.q / s_i.y_i  with q = g - sum over j > i of a_j y_j
///   c = s_m.y_m / y_m.y_m,  q = g - sum over all j of a_j y_j
///   for i = 1 .. m:  b_i = y_i.r / s_i.y_i
///                    with r = c q + sum over j < i of (a_j - b_j) s_j
///   direction = -(c q + sum over all j of (a_j - b_j) s_j)
///
/// so that s_i.q and y_i.r follow from s_i.g, y_i.g, s_i.y_j for j >= i and
/// y_i.y_j. When a correction is new, only its products with the others are. One
/// pass over the corrections makes these and those with g, one block computes a
/// and b, and a second pass makes the direction: each pass reads each correction
/// once, and nothing waits for 2 m sums over the device.
///
/// \source Byrd, Nocedal and Schnabel 1994, Representations of quasi-Newton
///         matrices and their use in limited memory methods, section 4

#include <cuda_runtime.h>

#include "lbfgs_memory.hpp"

namespace mlp::cuda {

/// Returns the partial sums that compute_coefficients() needs.
[[nodiscard]] Index num_gram_partials(Index num_weights, Index capacity);

/// Computes the products of the newest correction with all, and the coefficients
/// of the direction. Sets is_refused as optim::LbfgsHistory::descend() returns
/// false.
///
/// \pre  the products of the older corrections were computed
/// \cost 8 num_corrections num_weights flops; reads each correction once; 2
///       launches
void compute_coefficients(const LbfgsMemory& memory, cudaStream_t stream);

/// Computes the direction from its coefficients, and its products with the
/// gradient and with itself.
///
/// \cost 4 num_corrections num_weights flops; reads each correction once; 2
///       launches
void combine_direction(const LbfgsMemory& memory, cudaStream_t stream);

}  // namespace mlp::cuda
