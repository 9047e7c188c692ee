// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>

#include "../blas/cublas_functions.hpp"
#include "../blas/matrix_products.hpp"
#include "../instances/memory_plan.hpp"
#include "../runtime/stream.hpp"

namespace mlp::cuda {

/// A device with one stream, and cuBLAS on this stream, for all work of one backend.
///
/// Thread safety: a thread adds work or waits for it only while it has the lock.
class DeviceContext {
 public:
  /// \param device       0-based, as the driver counts
  /// \param limit_bytes  the most memory to allocate; 0 for all free memory
  /// \param functions    must outlive this object
  /// \throws DeviceError if the device cannot be used; ResourceError if it has too
  ///         little memory
  /// \cost   the first context of a process makes that of CUDA: about half a
  ///         second
  DeviceContext(int device, std::size_t limit_bytes,
                const CublasFunctions& functions);

  /// Waits until no other thread uses the device, and selects it for this thread.
  [[nodiscard]] std::unique_lock<std::mutex> lock();

  [[nodiscard]] const Stream& stream() const { return stream_; }
  [[nodiscard]] MatrixProducts& products() { return products_; }

  /// Returns the memory for new objects: the limit, at most all memory of the device, and
  /// how much of it can be allocated, which is most of the free memory.
  [[nodiscard]] DeviceBytes bytes() const;

 private:
  int device_;
  std::size_t limit_bytes_;
  std::mutex mutex_;
  Stream stream_;
  MatrixProducts products_;
};

}  // namespace mlp::cuda
