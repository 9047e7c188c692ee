// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "objective.hpp"

namespace mlp::optim {

/// Asks an optimisation to stop: by the flag of the caller, or from within.
///
/// Thread safety: all members may be called at the same time.
class StopRequest {
 public:
  /// \param flag  of the caller; must outlive this object; may be null
  explicit StopRequest(const std::atomic<bool>* flag = nullptr) : flag_(flag) {}

  void request() { is_requested_ = true; }

  [[nodiscard]] bool is_requested() const {
    return is_requested_ || (flag_ != nullptr && *flag_);
  }

  /// \throws Interrupted if a stop was requested
  void poll() const {
    if (is_requested()) throw Interrupted();
  }

 private:
  const std::atomic<bool>* flag_;
  std::atomic<bool> is_requested_{false};
};

}  // namespace mlp::optim
