// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <exception>
#include <functional>

namespace mlp::cuda_host {

/// A function with a stack of its own, which can pause and continue. It runs
/// one body after another, so that threads of many blocks share one stack.
///
/// Thread safety: none; all fibers belong to one thread of the system.
class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Sets the body that the next resume() starts.
  ///
  /// \pre the fiber is done
  void start(std::function<void()> body);

  /// Runs the body until it pauses or ends. Throws what the body throws.
  void resume();

  /// Returns true if the body has ended.
  [[nodiscard]] bool is_done() const { return is_done_; }

  /// Pauses the fiber that runs, until its next resume().
  static void pause();

 private:
  static constexpr std::size_t kStackBytes = 64 * 1024;

  void run();
  void switch_to();
  void switch_back();

  // Of the stack that resume() was called on, for the address sanitizer.
  const void* caller_bottom_ = nullptr;
  std::size_t caller_bytes_ = 0;
  const void* bottom_ = nullptr;

  boost::context::fiber own_;     ///< while it is paused
  boost::context::fiber caller_;  ///< while it runs
  std::function<void()> body_;
  std::exception_ptr failure_;
  bool is_done_ = true;
  bool is_cancelled_ = false;
};

}  // namespace mlp::cuda_host
