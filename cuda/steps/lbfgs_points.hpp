// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The points of L-BFGS: x, and the trial point of its line search.

#include <cuda_runtime.h>

#include "lbfgs_memory.hpp"

namespace mlp::cuda {

/// Moves x and its gradient to the trial point, as the command says, and stores
/// the correction.
///
/// \cost reads four vectors and writes four; one launch
void move_to_trial(const LbfgsMemory& memory, cudaStream_t stream);

/// Computes the trial point x + step direction, and stores the step.
///
/// \cost 2 num_weights flops; reads two vectors and writes one; one launch
void make_trial(const LbfgsMemory& memory, cudaStream_t stream);

/// Computes the slope and |gradient|^2 at the trial point.
///
/// \cost 4 num_weights flops; reads two vectors; 2 launches
void measure_trial(const LbfgsMemory& memory, cudaStream_t stream);

}  // namespace mlp::cuda
