// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../../core/index.hpp"
#include "../runtime/cuda_check.hpp"
#include "../runtime/stream.hpp"

namespace mlp::cuda {

/// Adds to a stream the copy of numbers from one place on the device to another that does not overlap.
///
/// \param      from  [size]
/// \param[out] to    [size]
template <typename T>
void copy_on_device(const T* from, Index size, T* to, const Stream& stream) {
  if (size == 0) return;
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(size) * sizeof(T),
                        cudaMemcpyDeviceToDevice, stream.get()),
        "cudaMemcpyAsync");
}

/// Adds to a stream the copy of numbers to the device. They may be changed when the stream
/// has done it.
///
/// \param      from  pinned   [size]
/// \param[out] to    [size]
template <typename T>
void copy_to_device(const T* from, Index size, T* to, const Stream& stream) {
  if (size == 0) return;
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(size) * sizeof(T),
                        cudaMemcpyHostToDevice, stream.get()),
        "cudaMemcpyAsync");
}

/// Adds to a stream the copy of numbers to the host. They are there when the stream has
/// done it.
///
/// \param      from  [size]
/// \param[out] to    [size]
template <typename T>
void copy_to_host(const T* from, Index size, T* to, const Stream& stream) {
  if (size == 0) return;
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(size) * sizeof(T),
                        cudaMemcpyDeviceToHost, stream.get()),
        "cudaMemcpyAsync");
}

}  // namespace mlp::cuda
