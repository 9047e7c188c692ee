// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

namespace mlp::test {

/// Runs a function in a process of its own.
///
/// \return true if the function returned
template <typename Function>
bool run_in_process(const Function& function) {
  const pid_t process = ::fork();
  if (process == 0) {
    try {
      function();
      ::_exit(0);
    } catch (...) {
      ::_exit(1);
    }
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Calls a function again and again in a process of its own, and kills the
/// process at a random moment.
///
/// \param write  gets the number of the call
template <typename Write>
void kill_while_writing(const Write& write, std::mt19937& random) {
  std::uniform_int_distribution<int> microseconds(0, 3000);
  const pid_t process = ::fork();
  if (process == 0) {
    for (int i = 0;; ++i) write(i);
  }
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
}

}  // namespace mlp::test
