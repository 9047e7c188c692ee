// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Functions for several kernels. For .cu files only.

#include <cuda_runtime.h>

#include "../../core/index.hpp"

/// Whether the loop that follows is unrolled: an array needs it to be in registers, and
/// a long body needs registers for each copy.
#ifdef __CUDACC__
#define MLP_UNROLL _Pragma("unroll")
#define MLP_NO_UNROLL _Pragma("unroll 1")
#else
#define MLP_UNROLL
#define MLP_NO_UNROLL
#endif

namespace mlp::cuda {

/// Returns the dynamic shared memory of the block.
template <typename T>
__device__ inline T* shared_memory() {
#ifdef __CUDACC__
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  return reinterpret_cast<T*>(shared_bytes);
#else  // on the emulated device of the tests
  return static_cast<T*>(cuda_host::shared_memory());
#endif
}

/// The first element of this thread in a kernel that strides over elements.
__device__ inline Index first_element() {
  return static_cast<Index>(blockIdx.x) * static_cast<Index>(blockDim.x) +
         static_cast<Index>(threadIdx.x);
}

/// The distance to the next element of this thread.
__device__ inline Index element_stride() {
  return static_cast<Index>(gridDim.x) * static_cast<Index>(blockDim.x);
}

}  // namespace mlp::cuda
