// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

namespace mlp::test {

/// Runs a function and returns the seconds that this process computed meanwhile.
/// Other processes on the machine hardly change them.
template <typename F>
double cpu_seconds(const F& run) {
  const std::clock_t start = std::clock();
  run();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace mlp::test
