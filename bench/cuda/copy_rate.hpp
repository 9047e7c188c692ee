// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../cuda/runtime/cuda_check.hpp"
#include "../../cuda/runtime/device_array.hpp"
#include "../../cuda/runtime/stream.hpp"
#include "device_clock.hpp"
#include "random_numbers.hpp"

namespace mlp::bench {

/// The rate at which the device copies its own memory: a limit for an evaluation,
/// which must read and write numbers.
class CopyRate {
 public:
  /// \throws ResourceError if the device has too little memory
  explicit CopyRate(Index num_bytes) : from_(num_bytes), to_(num_bytes) {
    fill_randomly(1 << 2, from_, stream_);
  }

  /// Copies once, and returns the bytes that were read and written per second.
  double bytes_per_second() {
    const double seconds = clock_.seconds(stream_.get(), [this] {
      cuda::check(cudaMemcpyAsync(to_.data(), from_.data(), from_.size_bytes(),
                                  cudaMemcpyDeviceToDevice, stream_.get()),
                  "cudaMemcpyAsync");
    });
    return 2.0 * static_cast<double>(from_.size_bytes()) / seconds;
  }

 private:
  cuda::Stream stream_;
  DeviceClock clock_;
  cuda::DeviceArray<char> from_;
  cuda::DeviceArray<char> to_;
};

}  // namespace mlp::bench
