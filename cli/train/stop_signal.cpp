// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "stop_signal.hpp"

#include <unistd.h>

#include "../console/exit_code.hpp"

namespace mlp::cli {

namespace {

std::atomic<bool> is_stopping{false};
std::atomic<int> first_signal{0};

static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  int none = 0;
  if (!first_signal.compare_exchange_strong(none, number)) {
    ::_exit(kSignalBase + number);
  }
  is_stopping = true;
}

void listen(int number, struct sigaction& previous) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(number, nullptr, &previous);
  if (previous.sa_handler != SIG_IGN) ::sigaction(number, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  is_stopping = false;
  first_signal = 0;
  listen(SIGINT, previous_interrupt_);
  listen(SIGTERM, previous_termination_);
}

StopSignal::~StopSignal() {
  ::sigaction(SIGINT, &previous_interrupt_, nullptr);
  ::sigaction(SIGTERM, &previous_termination_, nullptr);
}

const std::atomic<bool>* StopSignal::flag() const { return &is_stopping; }

int StopSignal::received() const { return first_signal; }

}  // namespace mlp::cli
