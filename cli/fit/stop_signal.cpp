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

void end_program(int number) { ::_exit(kSignalBase + number); }

void listen(int number, void (*handler)(int), struct sigaction& previous) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(number, nullptr, &previous);
  if (previous.sa_handler != SIG_IGN) ::sigaction(number, &action, nullptr);
}

}  // namespace

ImmediateStop::ImmediateStop() {
  listen(SIGINT, end_program, previous_interrupt_);
  listen(SIGTERM, end_program, previous_termination_);
}

ImmediateStop::~ImmediateStop() {
  ::sigaction(SIGINT, &previous_interrupt_, nullptr);
  ::sigaction(SIGTERM, &previous_termination_, nullptr);
}

StopSignal::StopSignal() {
  is_stopping = false;
  first_signal = 0;
  listen(SIGINT, on_signal, previous_interrupt_);
  listen(SIGTERM, on_signal, previous_termination_);
}

StopSignal::~StopSignal() {
  ::sigaction(SIGINT, &previous_interrupt_, nullptr);
  ::sigaction(SIGTERM, &previous_termination_, nullptr);
}

const std::atomic<bool>* StopSignal::flag() const { return &is_stopping; }

int StopSignal::received() const { return first_signal; }

std::string signal_name(int signal) {
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

}  // namespace mlp::cli
