// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

namespace mlp::python {

namespace {

std::atomic<bool> is_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler sets the flag");

extern "C" void take_interrupt(int /*signal*/) { is_interrupted = true; }

}  // namespace

InterruptGuard::InterruptGuard(bool is_active) : is_active_(is_active) {
  if (!is_active_) return;
  is_interrupted = false;
  struct sigaction action {};
  action.sa_handler = take_interrupt;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &old_);
}

InterruptGuard::~InterruptGuard() {
  if (is_active_) ::sigaction(SIGINT, &old_, nullptr);
}

const std::atomic<bool>& InterruptGuard::flag() { return is_interrupted; }

}  // namespace mlp::python
