// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "../../cuda/runtime/cuda_check.hpp"

namespace mlp::bench {

/// Measures the time that work of a stream takes on the device.
class DeviceClock {
 public:
  DeviceClock() {
    cuda::check(cudaEventCreate(&start_), "cudaEventCreate");
    cuda::check(cudaEventCreate(&end_), "cudaEventCreate");
  }
  DeviceClock(const DeviceClock&) = delete;
  DeviceClock& operator=(const DeviceClock&) = delete;
  ~DeviceClock() {
    static_cast<void>(cudaEventDestroy(start_));
    static_cast<void>(cudaEventDestroy(end_));
  }

  /// Returns the seconds of the work that a function adds to a stream; waits for
  /// it.
  template <typename AddWork>
  double seconds(cudaStream_t stream, AddWork&& add_work) {
    cuda::check(cudaEventRecord(start_, stream), "cudaEventRecord");
    add_work();
    cuda::check(cudaEventRecord(end_, stream), "cudaEventRecord");
    cuda::check(cudaEventSynchronize(end_), "cudaEventSynchronize");
    float milliseconds = 0.0F;
    cuda::check(cudaEventElapsedTime(&milliseconds, start_, end_),
                "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t start_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace mlp::bench
