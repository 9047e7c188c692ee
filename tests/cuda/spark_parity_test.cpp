// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "../../cuda/device_backend.hpp"
#include "../mlp/golden_checks.hpp"
#include "cublas_of_tests.hpp"

// Every fit recorded from real Spark 3.5.7, trained on the device in float64, with
// the bounds of tests/golden/README.md.

namespace mlp::testing {
namespace {

FitOptions one_thread() {
  FitOptions options;
  options.num_threads = 1;
  return options;
}

TEST_SUITE("cuda/spark_parity") {
  TEST_CASE("follows Spark's L-BFGS on the device in every recorded fit") {
    const cuda::DeviceBackend backend({}, cuda::cublas_of_tests());
    for (const std::string& name : golden_fit_names()) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);
      if (!golden.recorded.contains("agreement")) continue;

      const FitResult result = fit_golden(golden, backend, one_thread());

      check_history(golden, result.summary);
      check_stop(golden, result.summary);
      check_model(golden, result, backend);
    }
  }

  TEST_CASE("follows Spark's gradient descent on the device") {
    const cuda::DeviceBackend backend({}, cuda::cublas_of_tests());
    check_gradient_descent(backend, one_thread());
  }

  TEST_CASE("scores Spark's weights on the device as Spark does") {
    const cuda::DeviceBackend backend({}, cuda::cublas_of_tests());
    check_scores(backend);
  }
}

}  // namespace
}  // namespace mlp::testing
