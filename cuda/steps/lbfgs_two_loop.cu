// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>

#include "../runtime/device_code.hpp"
#include "../runtime/launch.hpp"
#include "lbfgs_two_loop.hpp"

namespace mlp::cuda {

namespace {

/// The elements of a vector that a thread holds.
constexpr int kOwn = 8;
constexpr unsigned kMinThreads = 32;
constexpr unsigned kMaxThreads = 512;
static_assert(kMaxTwoLoopWeights == Index{kMaxThreads} * kOwn);

/// The position of an element of this thread.
__device__ Index position(int k) {
  return static_cast<Index>(k) * static_cast<Index>(blockDim.x) +
         static_cast<Index>(threadIdx.x);
}

/// Computes x += a y and then the dot product of x and z.
///
/// \param[in,out] x  of this thread; 0 behind the end
__device__ double add_and_dot(Index size, double a, const double* y,
                              const double* z, double (&x)[kOwn],
                              double* shared) {
  double sum = 0.0;
  for (int k = 0; k < kOwn; ++k) {
    const Index i = position(k);
    if (i >= size) continue;
    x[k] += a * y[i];
    sum += x[k] * z[i];
  }
  return sum_block(sum, shared);
}

/// Computes the dot product of the elements that the threads hold and a vector.
__device__ double dot_own(Index size, const double (&x)[kOwn], const double* y,
                          double* shared) {
  double sum = 0.0;
  for (int k = 0; k < kOwn; ++k) {
    if (position(k) < size) sum += x[k] * y[position(k)];
  }
  return sum_block(sum, shared);
}

__device__ double dot(Index size, const double* x, const double* y,
                      double* shared) {
  double sum = 0.0;
  for (int k = 0; k < kOwn; ++k) {
    const Index i = position(k);
    if (i < size) sum += x[i] * y[i];
  }
  return sum_block(sum, shared);
}

/// Replaces the gradient by H gradient.
///
/// \param shared  [blockDim.x]
/// \return false if there is no direction; the same for every thread
__device__ bool apply_inverse_hessian(const LbfgsMemory& memory,
                                      double (&q)[kOwn], double* shared) {
  const LbfgsCommand command = *memory.command;
  const Index size = memory.num_weights;
  const auto s = [&](Index age) {
    return memory.s + slot_of(command, memory.capacity, age) * size;
  };
  const auto y = [&](Index age) {
    return memory.y + slot_of(command, memory.capacity, age) * size;
  };
  const double curvature = dot(size, s(0), y(0), shared);
  const double scale = curvature / dot(size, y(0), y(0), shared);
  if (threadIdx.x == 0) memory.curvatures[command.newest] = curvature;
  if (curvature < 0.0 || std::isnan(curvature)) return false;
  // The sum lets all threads see the new curvature.
  double product = dot_own(size, q, s(0), shared);
  for (Index age = 0; age < command.num_corrections; ++age) {
    const double a =
        product / memory.curvatures[slot_of(command, memory.capacity, age)];
    if (std::isnan(a)) return false;
    if (threadIdx.x == 0) memory.coefficients[age] = a;
    const bool is_last = age + 1 == command.num_corrections;
    product =
        add_and_dot(size, -a, y(age), is_last ? y(age) : s(age + 1), q, shared);
  }
  for (int k = 0; k < kOwn; ++k) q[k] *= scale;
  product *= scale;
  for (Index age = command.num_corrections; age-- > 0;) {
    const double b =
        product / memory.curvatures[slot_of(command, memory.capacity, age)];
    product = add_and_dot(size, memory.coefficients[age] - b, s(age),
                          y(age == 0 ? 0 : age - 1), q, shared);
  }
  return true;
}

__global__ void two_loop_kernel(LbfgsMemory memory) {
  double* const shared = shared_memory<double>();
  const Index size = memory.num_weights;
  double q[kOwn] = {};
  for (int k = 0; k < kOwn; ++k) {
    if (position(k) < size) q[k] = memory.gradient[position(k)];
  }
  const bool is_chosen = memory.command->num_corrections == 0 ||
                         apply_inverse_hessian(memory, q, shared);
  if (threadIdx.x == 0) memory.results->is_refused = is_chosen ? 0 : 1;
  if (!is_chosen) return;
  double product = 0.0;
  double squares = 0.0;
  for (int k = 0; k < kOwn; ++k) {
    const Index i = position(k);
    if (i >= size) continue;
    memory.direction[i] = -q[k];
    product -= q[k] * memory.gradient[i];
    squares += q[k] * q[k];
  }
  product = sum_block(product, shared);
  squares = sum_block(squares, shared);
  if (threadIdx.x != 0) return;
  memory.results->direction_gradient = product;
  memory.results->direction_squares = squares;
}

__global__ void curvature_kernel(LbfgsMemory memory) {
  const Index slot = static_cast<Index>(blockIdx.x);
  if (slot >= memory.command->num_corrections) return;
  const Index first = slot * memory.num_weights;
  const double curvature = dot(memory.num_weights, memory.s + first,
                               memory.y + first, shared_memory<double>());
  if (threadIdx.x == 0) memory.curvatures[slot] = curvature;
}

unsigned num_threads(Index num_weights) {
  const auto wanted = static_cast<unsigned>((num_weights + kOwn - 1) / kOwn);
  return std::clamp(std::bit_ceil(wanted), kMinThreads, kMaxThreads);
}

}  // namespace

void choose_direction_in_block(const LbfgsMemory& memory, cudaStream_t stream) {
  const unsigned threads = num_threads(memory.num_weights);
  launch(two_loop_kernel, {1, threads, threads * sizeof(double)}, stream,
         memory);
}

void compute_curvatures_in_block(const LbfgsMemory& memory,
                                 cudaStream_t stream) {
  if (memory.capacity == 0) return;
  const unsigned threads = num_threads(memory.num_weights);
  launch(curvature_kernel,
         {static_cast<unsigned>(memory.capacity), threads,
          threads * sizeof(double)},
         stream, memory);
}

}  // namespace mlp::cuda
