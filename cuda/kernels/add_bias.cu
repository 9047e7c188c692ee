// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../runtime/device_code.hpp"
#include "../runtime/launch.hpp"
#include "add_bias.hpp"

namespace mlp::cuda {

namespace {

template <typename Number>
__global__ void add_bias_kernel(Index units, Index num_elements,
                                const Number* biases, Number* z) {
  for (Index i = first_element(); i < num_elements; i += element_stride()) {
    z[i] += biases[i % units];
  }
}

}  // namespace

template <typename Number>
void add_bias(Index units, Index size, const Number* biases, Number* z,
              cudaStream_t stream) {
  launch(add_bias_kernel<Number>, striding_grid(units * size), stream, units,
         units * size, biases, z);
}

template void add_bias(Index, Index, const double*, double*, cudaStream_t);
template void add_bias(Index, Index, const float*, float*, cudaStream_t);

}  // namespace mlp::cuda
