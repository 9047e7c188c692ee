// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

namespace mlp::python {

namespace nb = nanobind;

/// Lets Python's handlers of signals run while a training computes.
///
/// Python runs them in the main thread only, between its instructions. The
/// training therefore computes in another thread, while the main thread asks for
/// signals, and calls the functions of Python that the training needs.
class MainThread {
 public:
  /// \param is_active  false: the training computes in the calling thread, as in
  ///                   threads other than the main one
  explicit MainThread(bool is_active) : is_active_(is_active) {}
  MainThread(const MainThread&) = delete;
  MainThread& operator=(const MainThread&) = delete;

  /// Runs a job without the GIL. A handler that raises makes is_stopping() true
  /// and is kept.
  ///
  /// \pre    the GIL is held
  /// \throws what the job throws, or what a handler raised if the job then fails
  void run(const std::function<void()>& job);

  /// Calls a function of Python in the main thread, with the GIL. The job calls it.
  ///
  /// \throws what the function throws, but not KeyboardInterrupt, which counts as
  ///         raised by a handler
  void call(const std::function<void()>& function);

  /// Becomes true after a handler has raised.
  [[nodiscard]] const std::atomic<bool>& is_stopping() const {
    return is_stopping_;
  }

  /// The exception that a handler raised; None if there is none.
  [[nodiscard]] nb::object interrupt() const {
    return interrupt_.is_valid() ? interrupt_ : nb::none();
  }

 private:
  void wait();
  void handle_signals();
  void keep(const nb::python_error& error);
  void call_here(const std::function<void()>& function);

  bool is_active_;
  std::atomic<bool> is_stopping_{false};
  nb::object interrupt_;  // an exception, or invalid

  std::mutex mutex_;  // of the members below
  std::condition_variable changed_;
  bool is_done_ = false;
  const std::function<void()>* request_ = nullptr;
  std::exception_ptr error_;  // of the request
};

}  // namespace mlp::python
