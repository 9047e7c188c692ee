// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/solvers/repeated_work.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../../../cuda/kernels/convert.hpp"
#include "../device_numbers.hpp"

namespace mlp::cuda {

namespace {

/// How often work is added to a stream, and what it adds up to, in 6 runs.
std::vector<double> run_six_times(bool is_capturable) {
  const Stream stream;
  const DeviceArray<float> one =
      testing::uploaded(std::vector<float>{1}, stream);
  DeviceArray<double> sum = testing::uploaded(std::vector<double>{0}, stream);
  RepeatedWork work(is_capturable);
  double num_added = 0.0;
  for (int i = 0; i < 6; ++i) {
    work.run(stream, [&] {
      add_to_double(1, one.data(), sum.data(), stream.get());
      num_added += 1.0;
    });
    if (i == 3) work.reset();
  }
  return {num_added, sum.download(stream)[0]};
}

TEST_SUITE("cuda/solvers/repeated_work") {
  TEST_CASE("adds work that cannot be captured every time") {
    CHECK(run_six_times(false) == std::vector<double>{6, 6});
  }

  // Directly, captured, from the graph twice; then directly and captured again.
  TEST_CASE("captures work at the second run, also after a reset") {
    CHECK(run_six_times(true) == std::vector<double>{4, 6});
  }
}

}  // namespace

}  // namespace mlp::cuda
