// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The tests of cuda/ on a device; skipped without one.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <iostream>

#include "../../cuda/devices.hpp"
#include "../cuda/cublas_of_tests.hpp"

const mlp::cuda::CublasFunctions& mlp::cuda::cublas_of_tests() {
  return cublas_functions();
}

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  const mlp::cuda::DeviceReport report = mlp::cuda::find_devices();
  if (!report.refusal.empty()) {
    std::cout << "test skipped: " << report.refusal << '\n';
    return kSkipped;
  }
  return doctest::Context(argc, argv).run();
}
