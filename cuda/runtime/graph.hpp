// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "cuda_check.hpp"
#include "stream.hpp"

namespace mlp::cuda {

/// Work that is launched as a whole, in one call.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { reset(); }

  /// Returns true if nothing was captured.
  [[nodiscard]] bool is_empty() const { return executable_ == nullptr; }

  /// Records the work that a function adds to a stream, and to streams that it
  /// makes wait for this one; none of it runs now. The work must not allocate
  /// or wait for the device, and its arguments are those of this call each time.
  ///
  /// \param add_work  called once, without arguments
  template <typename AddWork>
  void capture(const Stream& stream, AddWork&& add_work) {
    reset();
    check(
        cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
        "cudaStreamBeginCapture");
    cudaGraph_t graph = nullptr;
    try {
      add_work();
    } catch (...) {
      static_cast<void>(cudaStreamEndCapture(stream.get(), &graph));
      if (graph) static_cast<void>(cudaGraphDestroy(graph));
      throw;
    }
    check(cudaStreamEndCapture(stream.get(), &graph), "cudaStreamEndCapture");
    const cudaError_t error = cudaGraphInstantiate(&executable_, graph, 0);
    static_cast<void>(cudaGraphDestroy(graph));
    check(error, "cudaGraphInstantiate");
  }

  /// Adds the recorded work to a stream.
  ///
  /// \pre !is_empty()
  void launch(const Stream& stream) const {
    check(cudaGraphLaunch(executable_, stream.get()), "cudaGraphLaunch");
  }

  void reset() {
    if (executable_) static_cast<void>(cudaGraphExecDestroy(executable_));
    executable_ = nullptr;
  }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace mlp::cuda
