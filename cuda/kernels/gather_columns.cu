// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../runtime/device_code.hpp"
#include "../runtime/launch.hpp"
#include "gather_columns.hpp"
#include "pack.hpp"

namespace mlp::cuda {

namespace {

template <int kWidth, typename From, typename To>
__global__ void gather_columns_kernel(Index rows, Index size,
                                      const Index* positions, const From* from,
                                      double scale, To* to) {
  for (PackWalk<kWidth> at(rows, size); at.is_inside(); at.advance()) {
    const From* const column = from + positions[at.column()] * rows;
    store_pack(load_stored<To, kWidth>(column + at.unit(), scale),
               to + at.first());
  }
}

}  // namespace

template <typename From, typename To>
void gather_columns(Index rows, std::span<const Index> positions,
                    const From* from, double scale, To* to,
                    cudaStream_t stream) {
  const auto size = static_cast<Index>(positions.size());
  constexpr int kWidth = kPackWidth<From, To>;
  if (has_packs<kWidth>(rows, from, to)) {
    launch(gather_columns_kernel<kWidth, From, To>,
           striding_grid(rows * size / kWidth), stream, rows, size,
           positions.data(), from, scale, to);
  } else {
    launch(gather_columns_kernel<1, From, To>, striding_grid(rows * size),
           stream, rows, size, positions.data(), from, scale, to);
  }
}

template void gather_columns(Index, std::span<const Index>, const double*,
                             double, double*, cudaStream_t);
template void gather_columns(Index, std::span<const Index>, const float*,
                             double, float*, cudaStream_t);
template void gather_columns(Index, std::span<const Index>, const BFloat16*,
                             double, BFloat16*, cudaStream_t);
template void gather_columns(Index, std::span<const Index>, const std::uint8_t*,
                             double, double*, cudaStream_t);
template void gather_columns(Index, std::span<const Index>, const std::uint8_t*,
                             double, float*, cudaStream_t);
template void gather_columns(Index, std::span<const Index>, const std::uint8_t*,
                             double, BFloat16*, cudaStream_t);
template void gather_columns(Index, std::span<const Index>, const std::int32_t*,
                             double, std::int32_t*, cudaStream_t);

}  // namespace mlp::cuda
