// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

#include "../runtime/device_code.hpp"
#include "../runtime/launch.hpp"
#include "lbfgs_points.hpp"
#include "vector_sums.hpp"

namespace mlp::cuda {

namespace {

__global__ void move_to_trial_kernel(LbfgsMemory memory) {
  const LbfgsMove move = memory.command->move;
  if (move == LbfgsMove::kNone) return;
  const Index slot = memory.command->newest * memory.num_weights;
  for (Index i = first_element(); i < memory.num_weights;
       i += element_stride()) {
    const double x = memory.trial_x[i];
    const double gradient = memory.trial_gradient[i];
    if (move == LbfgsMove::kAccept) {
      memory.s[slot + i] = x - memory.x[i];
      memory.y[slot + i] = gradient - memory.gradient[i];
    }
    memory.x[i] = x;
    memory.gradient[i] = gradient;
  }
}

__global__ void make_trial_kernel(LbfgsMemory memory) {
  double step = memory.command->step;
  if (memory.command->is_step_normalised) {
    step /= std::sqrt(memory.results->direction_squares);
  }
  const Index first = first_element();
  if (first == 0) memory.results->step = step;
  for (Index i = first; i < memory.num_weights; i += element_stride()) {
    memory.trial_x[i] = memory.direction[i] * step + memory.x[i];
  }
}

}  // namespace

void move_to_trial(const LbfgsMemory& memory, cudaStream_t stream) {
  launch(move_to_trial_kernel, striding_grid(memory.num_weights), stream,
         memory);
}

void make_trial(const LbfgsMemory& memory, cudaStream_t stream) {
  launch(make_trial_kernel, striding_grid(memory.num_weights), stream, memory);
}

void measure_trial(const LbfgsMemory& memory, cudaStream_t stream) {
  static_assert(offsetof(LbfgsResults, gradient_squares) ==
                offsetof(LbfgsResults, slope) + sizeof(double));
  compute_dot_products(memory.trial_gradient, memory.direction,
                       memory.num_weights, memory.partials,
                       &memory.results->slope, stream);
}

}  // namespace mlp::cuda
