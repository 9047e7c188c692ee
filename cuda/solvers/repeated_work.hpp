// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../runtime/graph.hpp"
#include "../runtime/stream.hpp"

namespace mlp::cuda {

/// Work of a stream that is added many times, and if possible as one graph.
///
/// The first time it is added directly, because libraries prepare themselves then.
/// The second time it is captured.
class RepeatedWork {
 public:
  /// \param is_capturable  false to add the work directly every time
  explicit RepeatedWork(bool is_capturable) : is_capturable_(is_capturable) {}

  /// Adds the work.
  ///
  /// \param add_work  the same each time: what changes is read from memory
  template <typename AddWork>
  void run(const Stream& stream, AddWork&& add_work) {
    if (!is_capturable_ || !has_run_) {
      add_work();
      has_run_ = true;
      return;
    }
    if (graph_.is_empty()) graph_.capture(stream, add_work);
    graph_.launch(stream);
  }

  /// Forgets the graph: the arguments of the work have changed. The next work is
  /// added directly, because it may allocate, which a capture refuses.
  void reset() {
    graph_.reset();
    has_run_ = false;
  }

 private:
  bool is_capturable_;
  bool has_run_ = false;
  Graph graph_;
};

}  // namespace mlp::cuda
