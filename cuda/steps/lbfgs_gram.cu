// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "lbfgs_gram.hpp"
#include "partial_sums.hpp"

namespace mlp::cuda {

namespace {

/// The products of a correction with the newest y and with the gradient.
enum Product : int { kSY, kSG, kYY, kYG, kNumProducts };

/// The corrections whose products a block makes.
constexpr int kPairs = 5;

/// Each block of a group of kPairs corrections takes some elements.
__global__ void product_kernel(LbfgsMemory memory, Index num_partials) {
  const Index block = static_cast<Index>(blockIdx.x) % num_partials;
  const Index first = static_cast<Index>(blockIdx.x) / num_partials * kPairs;
  const LbfgsCommand command = *memory.command;
  if (first >= command.num_corrections) return;
  const Index size = memory.num_weights;
  const double* const newest = memory.y + command.newest * size;
  const double* const s = memory.s + first * size;
  const double* const y = memory.y + first * size;
  const Index stride = num_partials * static_cast<Index>(blockDim.x);
  double sums[kPairs * kNumProducts] = {};
  for (Index i = block * static_cast<Index>(blockDim.x) +
                 static_cast<Index>(threadIdx.x);
       i < size; i += stride) {
    const double new_y = newest[i];
    const double g = memory.gradient[i];
    for (int k = 0; k < kPairs; ++k) {
      if (first + k >= command.num_corrections) continue;
      const double s_k = s[k * size + i];
      const double y_k = y[k * size + i];
      sums[k * kNumProducts + kSY] += s_k * new_y;
      sums[k * kNumProducts + kSG] += s_k * g;
      sums[k * kNumProducts + kYY] += y_k * new_y;
      sums[k * kNumProducts + kYG] += y_k * g;
    }
  }
  store_block_sums(
      sums, shared_memory<double>(),
      memory.partials + first * kNumProducts * num_partials + block,
      num_partials);
}

/// Adds the newest row and column to the products of the corrections.
///
/// \param products  [kNumProducts x capacity]
__device__ void keep_products(const LbfgsMemory& memory,
                              const LbfgsCommand& command,
                              const double* products) {
  const Index newest = command.newest;
  for (Index i = threadIdx.x; i < command.num_corrections; i += blockDim.x) {
    memory.sy[i + newest * memory.capacity] = products[i * kNumProducts + kSY];
    const double yy = products[i * kNumProducts + kYY];
    memory.yy[i + newest * memory.capacity] = yy;
    memory.yy[newest + i * memory.capacity] = yy;
  }
}

/// The first loop: computes a, and q.y and q.s of all corrections.
///
/// \param[in,out] products  the products with g become those with q
/// \return false if there is no direction; the same for every thread
__device__ bool subtract_gradients(const LbfgsMemory& memory,
                                   const LbfgsCommand& command,
                                   double* products) {
  const Index capacity = memory.capacity;
  const Index size = command.num_corrections;
  for (Index age = 0; age < size; ++age) {
    const Index j = slot_of(command, capacity, age);
    const double a =
        products[j * kNumProducts + kSG] / memory.sy[j + j * capacity];
    // Infinite elements of q would make the next product NaN.
    const bool is_usable = age + 1 == size ? !std::isnan(a) : std::isfinite(a);
    if (!is_usable) return false;
    if (threadIdx.x == 0) memory.coefficients[j] = a;
    for (Index other = threadIdx.x; other < size; other += blockDim.x) {
      const Index i = slot_of(command, capacity, other);
      if (other > age) {
        products[i * kNumProducts + kSG] -= a * memory.sy[i + j * capacity];
      }
      products[i * kNumProducts + kYG] -= a * memory.yy[i + j * capacity];
    }
    __syncthreads();
  }
  return true;
}

/// The second loop: computes a - b.
///
/// \param         scale     of q
/// \param[in,out] products  those of y with q become those with r
__device__ void add_steps(const LbfgsMemory& memory,
                          const LbfgsCommand& command, double scale,
                          double* products) {
  const Index capacity = memory.capacity;
  const Index size = command.num_corrections;
  for (Index i = threadIdx.x; i < size; i += blockDim.x) {
    products[i * kNumProducts + kYG] *= scale;
  }
  __syncthreads();
  for (Index age = size; age-- > 0;) {
    const Index j = slot_of(command, capacity, age);
    const double b =
        products[j * kNumProducts + kYG] / memory.sy[j + j * capacity];
    const double c = memory.coefficients[j] - b;
    if (threadIdx.x == 0) memory.coefficients[capacity + j] = c;
    for (Index other = threadIdx.x; other < age; other += blockDim.x) {
      const Index i = slot_of(command, capacity, other);
      products[i * kNumProducts + kYG] += c * memory.sy[j + i * capacity];
    }
    __syncthreads();
  }
}

__global__ void coefficient_kernel(LbfgsMemory memory, Index num_partials,
                                   Index num_shared) {
  double* const shared = shared_memory<double>();
  const LbfgsCommand command = *memory.command;
  const Index num_products = command.num_corrections * kNumProducts;
  double* const products =
      num_products <= num_shared ? shared + kSumThreads : memory.products;
  add_partials(memory.partials, num_partials, num_products, shared, products);
  keep_products(memory, command, products);
  __syncthreads();
  double scale = 1.0;
  bool is_chosen = true;
  if (command.num_corrections > 0) {
    const Index newest = command.newest * (1 + memory.capacity);
    const double curvature = memory.sy[newest];
    scale = curvature / memory.yy[newest];
    is_chosen = !(curvature < 0.0 || std::isnan(curvature)) &&
                subtract_gradients(memory, command, products);
    if (is_chosen) add_steps(memory, command, scale, products);
  }
  if (threadIdx.x != 0) return;
  memory.coefficients[2 * memory.capacity] = scale;
  memory.results->is_refused = is_chosen ? 0 : 1;
}

__global__ void direction_kernel(LbfgsMemory memory) {
  const LbfgsCommand command = *memory.command;
  const Index size = memory.num_weights;
  const Index capacity = memory.capacity;
  const double scale = memory.coefficients[2 * capacity];
  double sums[2] = {};
  for (Index i = first_element(); i < size; i += element_stride()) {
    const double g = memory.gradient[i];
    double q = g;
    for (Index age = 0; age < command.num_corrections; ++age) {
      const Index j = slot_of(command, capacity, age);
      q -= memory.coefficients[j] * memory.y[j * size + i];
    }
    q *= scale;
    for (Index age = command.num_corrections; age-- > 0;) {
      const Index j = slot_of(command, capacity, age);
      q += memory.coefficients[capacity + j] * memory.s[j * size + i];
    }
    memory.direction[i] = -q;
    sums[0] -= q * g;
    sums[1] += q * q;
  }
  store_block_sums(sums, shared_memory<double>(), memory.partials + blockIdx.x,
                   gridDim.x);
}

}  // namespace

Index num_gram_partials(Index num_weights, Index capacity) {
  const Index groups = std::max<Index>((capacity + kPairs - 1) / kPairs, 1);
  return num_partials(num_weights) * groups * kPairs * kNumProducts;
}

void compute_coefficients(const LbfgsMemory& memory, cudaStream_t stream) {
  const Index partials = num_partials(memory.num_weights);
  const Index groups = (memory.capacity + kPairs - 1) / kPairs;
  Grid grid = partial_grid(memory.num_weights, kPairs * kNumProducts);
  grid.num_blocks = static_cast<unsigned>(partials * groups);
  if (groups > 0) launch(product_kernel, grid, stream, memory, partials);
  constexpr Index kMaxShared = 2048;
  const Index num_shared =
      std::min<Index>(memory.capacity * kNumProducts, kMaxShared);
  const std::size_t numbers =
      kSumThreads + static_cast<std::size_t>(num_shared);
  launch(coefficient_kernel, {1, kSumThreads, numbers * sizeof(double)}, stream,
         memory, partials, num_shared);
}

void combine_direction(const LbfgsMemory& memory, cudaStream_t stream) {
  static_assert(offsetof(LbfgsResults, direction_squares) ==
                offsetof(LbfgsResults, direction_gradient) + sizeof(double));
  launch(direction_kernel, partial_grid(memory.num_weights, 2), stream, memory);
  finish_sums(memory.partials, num_partials(memory.num_weights), 2,
              &memory.results->direction_gradient, stream);
}

}  // namespace mlp::cuda
