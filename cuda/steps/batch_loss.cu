// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../runtime/device_code.hpp"
#include "../runtime/launch.hpp"
#include "batch_loss.hpp"

namespace mlp::cuda {

namespace {

template <typename Number>
__global__ void divide_kernel(const double* size, BatchSums* sums,
                              Index num_weights, Number* gradient) {
  const double weight = sums->weight;
  const double wide_factor = weight == 0.0 ? 0.0 : *size / weight;
  if (first_element() == 0) sums->loss *= wide_factor;
  const auto factor = static_cast<Number>(wide_factor);
  for (Index i = first_element(); i < num_weights; i += element_stride()) {
    gradient[i] *= factor;
  }
}

__global__ void add_to_epoch_kernel(const double* size, const double* loss,
                                    double* sum) {
  if (first_element() == 0) *sum += *size * *loss;
}

}  // namespace

template <typename Number>
void divide_by_weight(const double* size, BatchSums* sums, Index num_weights,
                      Number* gradient, cudaStream_t stream) {
  launch(divide_kernel<Number>, striding_grid(num_weights), stream, size, sums,
         num_weights, gradient);
}

void add_to_epoch(const double* size, const double* loss, double* sum,
                  cudaStream_t stream) {
  launch(add_to_epoch_kernel, {1, 32, 0}, stream, size, loss, sum);
}

template void divide_by_weight(const double*, BatchSums*, Index, double*,
                               cudaStream_t);
template void divide_by_weight(const double*, BatchSums*, Index, float*,
                               cudaStream_t);

}  // namespace mlp::cuda
