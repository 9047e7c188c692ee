// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "allreduce.hpp"

namespace mlp::distributed {

/// A group of ranks that can also sum numbers in the memory of a device, as work
/// of a stream.
///
/// A stream is a cudaStream_t of the device that was current when the group was
/// made. Every rank adds the same sums in the same order. The group is used from
/// one thread at a time, except for cancel() and missing_ranks().
class DeviceAllreduce : public Allreduce {
 public:
  /// Adds to a stream the sum over all ranks of numbers in the memory of the
  /// device, in place. It neither waits nor allocates, and may be captured in a
  /// graph.
  ///
  /// \param[in,out] numbers  on the device   [count]
  /// \param         count    equal on all ranks; 0 adds nothing
  /// \throws CommunicationError if the group has ended
  virtual void sum_on_device(double* numbers, std::size_t count,
                             void* stream) = 0;
  virtual void sum_on_device(float* numbers, std::size_t count,
                             void* stream) = 0;

  [[nodiscard]] DeviceAllreduce* on_device() override { return this; }

  /// Waits until the work of a stream is done. Work that contains a sum, or
  /// waits for one, must be waited for in this way: without it, a lost rank
  /// would never be noticed.
  ///
  /// \throws CommunicationError if a rank is lost or too late
  virtual void wait(void* stream) = 0;
};

}  // namespace mlp::distributed
