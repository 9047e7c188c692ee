// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>

namespace mlp::python {

/// Makes Ctrl-C stop a training instead of raising KeyboardInterrupt, during the
/// life of this object. Python's own handler returns afterwards.
///
/// Python runs its handlers between instructions of the main thread only, which
/// waits for the training.
class InterruptGuard {
 public:
  /// \param is_active  false: does nothing, as in threads other than the main one
  explicit InterruptGuard(bool is_active);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Becomes true at Ctrl-C.
  [[nodiscard]] static const std::atomic<bool>& flag();

 private:
  bool is_active_;
  struct sigaction old_ {};
};

}  // namespace mlp::python
