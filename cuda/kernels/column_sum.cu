// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../runtime/launch.hpp"
#include "column_sum.hpp"
#include "slices.hpp"

namespace mlp::cuda {

namespace {

Slices slice(Index units, Index size) {
  constexpr Index kMinSliceSize = 1024;
  return {units, size, 1, kMinSliceSize};
}

/// Adds the columns of each slice.
///
/// \param[in,out] sums  [units x num_slices]
template <typename T, typename Sum>
__global__ void __launch_bounds__(kSliceThreads)
    column_sum_kernel(Slices slices, const T* numbers, bool adds, Sum* sums) {
  const SliceWalk<1> walk(slices);
  double sum[1] = {};
  walk.for_each_column(
      [&](Index column) {
        return numbers[walk.unit() + column * slices.units];
      },
      [&](Index, T number) { sum[0] += number_cast<double>(number); });
  walk.store_sums(sum, adds, sums);
}

template <typename T, typename Sum>
void add_slices(const Slices& slices, const T* numbers,
                const SumTarget<Sum>& target, cudaStream_t stream) {
  launch(column_sum_kernel<T, Sum>, slices.grid(1), stream, slices, numbers,
         target.adds, target.sums);
}

}  // namespace

Index num_column_partials(Index units, Index size) {
  const Slices slices = slice(units, size);
  return slices.num_slices == 1 ? 0 : units * slices.num_slices;
}

template <typename T, typename Sum>
void column_sum(Index units, Index size, const T* numbers, double* partials,
                const SumTarget<Sum>& target, cudaStream_t stream) {
  const Slices slices = slice(units, size);
  if (slices.num_slices == 1) {
    add_slices(slices, numbers, target, stream);
    return;
  }
  add_slices(slices, numbers, SumTarget<double>{partials}, stream);
  add_slices(slice(units, slices.num_slices), partials, target, stream);
}

template void column_sum(Index, Index, const double*, double*,
                         const SumTarget<double>&, cudaStream_t);
template void column_sum(Index, Index, const double*, double*,
                         const SumTarget<float>&, cudaStream_t);
template void column_sum(Index, Index, const float*, double*,
                         const SumTarget<float>&, cudaStream_t);
template void column_sum(Index, Index, const BFloat16*, double*,
                         const SumTarget<float>&, cudaStream_t);

}  // namespace mlp::cuda
