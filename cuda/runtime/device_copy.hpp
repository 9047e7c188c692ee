// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Copies of numbers, and zeros, as work of a stream.

#include <cuda_runtime.h>

#include <cstddef>

#include "../../core/index.hpp"
#include "cuda_check.hpp"
#include "stream.hpp"

namespace mlp::cuda {

namespace detail {

template <typename T>
void add_copy(const T* from, Index size, T* to, cudaMemcpyKind kind,
              const Stream& stream) {
  if (size == 0) return;
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(size) * sizeof(T),
                        kind, stream.get()),
        "cudaMemcpyAsync");
}

}  // namespace detail

/// Adds to a stream the copy of numbers from one place on the device to another that does not overlap.
///
/// \param      from  [size]
/// \param[out] to    [size]
template <typename T>
void copy_on_device(const T* from, Index size, T* to, const Stream& stream) {
  detail::add_copy(from, size, to, cudaMemcpyDeviceToDevice, stream);
}

/// Adds to a stream the copy of numbers to the device.
///
/// \param      from  may be changed at once, or if it is pinned, when the stream has
///                   copied it   [size]
/// \param[out] to    [size]
template <typename T>
void copy_to_device(const T* from, Index size, T* to, const Stream& stream) {
  detail::add_copy(from, size, to, cudaMemcpyHostToDevice, stream);
}

/// Adds to a stream the copy of numbers to the host. They are there when the stream has
/// done it.
///
/// \param      from  [size]
/// \param[out] to    [size]
template <typename T>
void copy_to_host(const T* from, Index size, T* to, const Stream& stream) {
  detail::add_copy(from, size, to, cudaMemcpyDeviceToHost, stream);
}

/// Adds to a stream the work that sets every byte of numbers to 0.
///
/// \param[out] numbers  on the device   [size]
template <typename T>
void clear_on_device(T* numbers, Index size, const Stream& stream) {
  if (size == 0) return;
  check(cudaMemsetAsync(numbers, 0, static_cast<std::size_t>(size) * sizeof(T),
                        stream.get()),
        "cudaMemsetAsync");
}

}  // namespace mlp::cuda
