// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../cuda/devices.hpp"

#include <doctest/doctest.h>

namespace {

TEST_SUITE("cuda/devices") {
  TEST_CASE("describes every device") {
    const mlp::cuda::DeviceReport report = mlp::cuda::find_devices();

    CHECK(report.is_compiled);
    CHECK(report.refusal == "");
    REQUIRE(!report.devices.empty());
    CHECK(report.devices[0].index == 0);
    CHECK(report.devices[0].name != "");
    CHECK(report.devices[0].num_multiprocessors > 0);
  }

  TEST_CASE("finds each library, or says why not") {
    mlp::cuda::DeviceReport report = mlp::cuda::find_devices();
    CHECK(report.cublas == "");
    CHECK(report.nccl_refusal == "");

    mlp::cuda::find_libraries(report);

    CHECK(mlp::cuda::is_compiled());
    CHECK(report.cublas.empty() != report.cublas_refusal.empty());
    CHECK(report.nccl.empty() != report.nccl_refusal.empty());
  }
}

}  // namespace
