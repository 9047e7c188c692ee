// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../cuda/device_check.hpp"

#include <doctest/doctest.h>

#include "../../core/error.hpp"

namespace mlp::cuda {

namespace {

Device make_device(int index, int major) {
  Device device;
  device.index = index;
  device.name = "Card";
  device.compute_capability_major = major;
  return device;
}

DeviceReport two_devices() {
  DeviceReport report;
  report.is_compiled = true;
  report.devices = {make_device(0, 9), make_device(1, 7)};
  return report;
}

}  // namespace

TEST_SUITE("cuda/device_check") {
  TEST_CASE("accepts a device that can be used") {
    CHECK_NOTHROW(require_device(two_devices(), 0, ""));
    CHECK(describe_device(two_devices().devices[1]) == "cuda:1 (Card)");
  }

  TEST_CASE("says what a build without CUDA needs") {
    CHECK_THROWS_WITH_AS(
        require_device({}, 0, "--device: "),
        "--device: the CUDA backend is not part of this build; install the "
        "CUDA Toolkit 12.8 or later, configure with -DMLP_WITH_CUDA=ON and "
        "build again",
        NotCompiled);
  }

  TEST_CASE("says why no device can be used") {
    DeviceReport report;
    report.is_compiled = true;
    report.refusal = "no NVIDIA driver is installed";

    CHECK_THROWS_WITH_AS(require_device(report, 0, "--device: "),
                         "--device: no NVIDIA driver is installed",
                         DeviceError);
  }

  TEST_CASE("lists the devices if the index is none of them") {
    CHECK_THROWS_WITH_AS(require_device(two_devices(), 2, ""),
                         "this machine has no device cuda:2; it has cuda:0 "
                         "(Card), cuda:1 (Card)",
                         DeviceError);
  }

  TEST_CASE("refuses a device that is too old for the kernels") {
    CHECK_THROWS_WITH_AS(require_device(two_devices(), 1, ""),
                         "cuda:1 (Card) has compute capability 7.0; expected "
                         "8.0 or later",
                         DeviceError);
  }

  TEST_CASE("says why cuBLAS cannot be used") {
    DeviceReport report = two_devices();
    report.cublas_refusal = "cuBLAS was not found";

    CHECK_THROWS_WITH_AS(require_device(report, 0, ""), "cuBLAS was not found",
                         DeviceError);
  }
}

}  // namespace mlp::cuda
