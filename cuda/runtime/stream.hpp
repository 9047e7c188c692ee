// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "cuda_check.hpp"

namespace mlp::cuda {

/// A queue of work on the device of the thread that makes it. Its work runs in
/// order, beside the work of other streams.
class Stream {
 public:
  Stream() {
    check(cudaGetDevice(&device_), "cudaGetDevice");
    check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking),
          "cudaStreamCreateWithFlags");
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Waits for the work. Errors of the work were reported by synchronize().
  ~Stream() {
    static_cast<void>(cudaStreamSynchronize(handle_));
    static_cast<void>(cudaStreamDestroy(handle_));
  }

  [[nodiscard]] cudaStream_t get() const { return handle_; }

  /// Makes the device of the stream that of this thread, which other work may have
  /// changed.
  ///
  /// \return the stream
  [[nodiscard]] const Stream& selected() const {
    check(cudaSetDevice(device_), "cudaSetDevice");
    return *this;
  }

  /// Waits until all work is done.
  ///
  /// \throws DeviceError if some of it failed
  void synchronize() const {
    check(cudaStreamSynchronize(handle_), "cudaStreamSynchronize");
  }

 private:
  int device_ = 0;
  cudaStream_t handle_ = nullptr;
};

/// A mark in a stream that other streams and the host can wait for.
class Event {
 public:
  Event() {
    check(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming),
          "cudaEventCreateWithFlags");
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { static_cast<void>(cudaEventDestroy(handle_)); }

  /// Sets the mark behind the work that the stream has now.
  void record(const Stream& stream) {
    check(cudaEventRecord(handle_, stream.get()), "cudaEventRecord");
  }

  /// Lets later work of a stream wait for the mark.
  void block(const Stream& stream) const {
    check(cudaStreamWaitEvent(stream.get(), handle_, 0), "cudaStreamWaitEvent");
  }

  /// Waits until the mark is reached.
  void synchronize() const {
    check(cudaEventSynchronize(handle_), "cudaEventSynchronize");
  }

 private:
  cudaEvent_t handle_ = nullptr;
};

}  // namespace mlp::cuda
