// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "gradient_step.hpp"
#include "partial_sums.hpp"

namespace mlp::cuda {

namespace {

__global__ void gradient_step_kernel(GradientStep step, double* partials) {
  const double step_size = *step.step_size;
  double sums[2] = {};
  for (Index i = first_element(); i < step.num_weights; i += element_stride()) {
    const double before = step.x[i];
    const double after = before - step_size * step.gradient[i];
    step.previous[i] = before;
    step.x[i] = after;
    sums[0] += (before - after) * (before - after);
    sums[1] += after * after;
  }
  store_block_sums(sums, shared_memory<double>(), partials + blockIdx.x,
                   gridDim.x);
}

}  // namespace

void make_gradient_step(const GradientStep& step, double* partials,
                        double* sums, cudaStream_t stream) {
  launch(gradient_step_kernel, partial_grid(step.num_weights, 2), stream, step,
         partials);
  finish_sums(partials, num_partials(step.num_weights), 2, sums, stream);
}

}  // namespace mlp::cuda
