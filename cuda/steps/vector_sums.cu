// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "partial_sums.hpp"
#include "vector_sums.hpp"

namespace mlp::cuda {

namespace {

__global__ void dot_product_kernel(VectorPairs pairs, Index num_elements,
                                   double* partials) {
  double sums[VectorPairs::kMax] = {};
  for (Index i = first_element(); i < num_elements; i += element_stride()) {
    for (int k = 0; k < VectorPairs::kMax; ++k) {
      if (k < pairs.num) sums[k] += pairs.x[k][i] * pairs.y[k][i];
    }
  }
  double* const shared = shared_memory<double>();
  double* const block = partials + blockIdx.x;
  if (pairs.num == 1) {
    const double one[1] = {sums[0]};
    store_block_sums(one, shared, block, gridDim.x);
  } else if (pairs.num == 2) {
    const double two[2] = {sums[0], sums[1]};
    store_block_sums(two, shared, block, gridDim.x);
  } else {
    store_block_sums(sums, shared, block, gridDim.x);
  }
}

__global__ void finish_sums_kernel(const double* partials, Index num_partials,
                                   Index num_sums, double* sums) {
  add_partials(partials, num_partials, num_sums, shared_memory<double>(), sums);
}

}  // namespace

void compute_dot_products(const VectorPairs& pairs, Index num_elements,
                          double* partials, double* sums, cudaStream_t stream) {
  launch(dot_product_kernel, partial_grid(num_elements, pairs.num), stream,
         pairs, num_elements, partials);
  finish_sums(partials, num_partials(num_elements), pairs.num, sums, stream);
}

void finish_sums(const double* partials, Index num_partials, Index num_sums,
                 double* sums, cudaStream_t stream) {
  launch(finish_sums_kernel, {1, kSumThreads, kSumThreads * sizeof(double)},
         stream, partials, num_partials, num_sums, sums);
}

}  // namespace mlp::cuda
