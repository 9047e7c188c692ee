// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "main_thread.hpp"

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

namespace mlp::python {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};

/// Keeps signals from the threads that are started meanwhile, so that the main
/// thread gets them. Those that an instruction causes stay with its thread.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) {
      sigdelset(&all, own);
    }
    pthread_sigmask(SIG_BLOCK, &all, &old_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &old_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t old_{};
};

/// Returns the object of an error, which Python before 3.12 makes when it is asked for.
nb::object exception_of(const nb::python_error& error) {
  PyObject* type = error.type().inc_ref().ptr();
  PyObject* value = error.value().inc_ref().ptr();
  PyObject* traceback = error.traceback().release().ptr();
  PyErr_NormalizeException(&type, &value, &traceback);
  nb::steal(type).reset();
  nb::steal(traceback).reset();
  return nb::steal(value);
}

}  // namespace

void MainThread::run(const std::function<void()>& job) {
  if (!is_active_) {
    const nb::gil_scoped_release release;
    job();
    return;
  }
  std::exception_ptr failure;
  std::thread worker;
  {
    const BlockedSignals blocked;
    worker = std::thread([&] {
      try {
        job();
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      is_done_ = true;
      changed_.notify_all();
    });
  }
  {
    const nb::gil_scoped_release release;
    wait();
    worker.join();
  }
  if (!failure) return;
  if (!interrupt_.is_valid()) std::rethrow_exception(failure);
  PyErr_SetObject(interrupt_.type().ptr(), interrupt_.ptr());
  throw nb::python_error();
}

/// Serves the job until its end.
void MainThread::wait() {
  std::unique_lock lock(mutex_);
  while (!is_done_) {
    changed_.wait_for(lock, kBetweenLooks,
                      [this] { return is_done_ || request_ != nullptr; });
    if (is_done_) return;
    const std::function<void()>* const request = request_;
    lock.unlock();
    std::exception_ptr error;
    {
      const nb::gil_scoped_acquire acquire;
      handle_signals();
      try {
        if (request != nullptr) call_here(*request);
      } catch (...) {
        error = std::current_exception();
      }
    }
    lock.lock();
    if (request == nullptr) continue;
    error_ = std::move(error);
    request_ = nullptr;
    changed_.notify_all();
  }
}

void MainThread::call(const std::function<void()>& function) {
  if (!is_active_) {
    const nb::gil_scoped_acquire acquire;
    call_here(function);
    return;
  }
  std::unique_lock lock(mutex_);
  request_ = &function;
  changed_.notify_all();
  changed_.wait(lock, [this] { return request_ == nullptr; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

/// Runs the handlers of the signals that came.
///
/// \pre the GIL is held
void MainThread::handle_signals() {
  if (PyErr_CheckSignals() != 0) keep(nb::python_error());
}

void MainThread::keep(const nb::python_error& error) {
  if (!interrupt_.is_valid()) interrupt_ = exception_of(error);
  is_stopping_ = true;
}

/// \pre the GIL is held
void MainThread::call_here(const std::function<void()>& function) {
  try {
    function();
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    keep(error);
  }
}

}  // namespace mlp::python
