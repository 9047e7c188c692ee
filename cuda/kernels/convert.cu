// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../runtime/device_code.hpp"
#include "../runtime/launch.hpp"
#include "convert.hpp"
#include "pack.hpp"

namespace mlp::cuda {

namespace {

template <int kWidth, typename From, typename To>
__global__ void convert_kernel(Index size, const From* from, double scale,
                               To* to) {
  for (Index i = first_element() * kWidth; i < size;
       i += element_stride() * kWidth) {
    store_pack(load_stored<To, kWidth>(from + i, scale), to + i);
  }
}

__global__ void add_to_double_kernel(Index size, const float* numbers,
                                     double* sums) {
  for (Index i = first_element(); i < size; i += element_stride()) {
    sums[i] += static_cast<double>(numbers[i]);
  }
}

}  // namespace

template <typename From, typename To>
void convert(Index size, const From* from, double scale, To* to,
             cudaStream_t stream) {
  constexpr int kWidth = kPackWidth<From, To>;
  if (has_packs<kWidth>(size, from, to)) {
    launch(convert_kernel<kWidth, From, To>, striding_grid(size / kWidth),
           stream, size, from, scale, to);
  } else {
    launch(convert_kernel<1, From, To>, striding_grid(size), stream, size, from,
           scale, to);
  }
}

void add_to_double(Index size, const float* numbers, double* sums,
                   cudaStream_t stream) {
  launch(add_to_double_kernel, striding_grid(size), stream, size, numbers,
         sums);
}

template void convert(Index, const double*, double, float*, cudaStream_t);
template void convert(Index, const double*, double, BFloat16*, cudaStream_t);
template void convert(Index, const float*, double, double*, cudaStream_t);
template void convert(Index, const float*, double, BFloat16*, cudaStream_t);
template void convert(Index, const BFloat16*, double, float*, cudaStream_t);
template void convert(Index, const std::uint8_t*, double, double*,
                      cudaStream_t);
template void convert(Index, const std::uint8_t*, double, float*, cudaStream_t);
template void convert(Index, const std::uint8_t*, double, BFloat16*,
                      cudaStream_t);

}  // namespace mlp::cuda
