// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "partial_sums.hpp"
#include "vector_sums.hpp"

namespace mlp::cuda {

namespace {

__global__ void dot_product_kernel(const double* x, const double* y,
                                   Index num_elements, double* partials) {
  double sums[2] = {};
  for (Index i = first_element(); i < num_elements; i += element_stride()) {
    const double number = x[i];
    sums[0] += number * y[i];
    sums[1] += number * number;
  }
  store_block_sums(sums, shared_memory<double>(), partials + blockIdx.x,
                   gridDim.x);
}

__global__ void finish_sums_kernel(const double* partials, Index num_partials,
                                   Index num_sums, double* sums) {
  add_partials(partials, num_partials, num_sums, shared_memory<double>(), sums);
}

}  // namespace

void compute_dot_products(const double* x, const double* y, Index num_elements,
                          double* partials, double* sums, cudaStream_t stream) {
  launch(dot_product_kernel, partial_grid(num_elements, 2), stream, x, y,
         num_elements, partials);
  finish_sums(partials, num_partials(num_elements), 2, sums, stream);
}

void finish_sums(const double* partials, Index num_partials, Index num_sums,
                 double* sums, cudaStream_t stream) {
  launch(finish_sums_kernel, {1, kSumThreads, kSumThreads * sizeof(double)},
         stream, partials, num_partials, num_sums, sums);
}

}  // namespace mlp::cuda
