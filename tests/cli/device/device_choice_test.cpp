// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/device/device_choice.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <string>

#include "../../../core/error.hpp"
#include "../../../mlp/backend/reference_backend.hpp"
#include "../../thrown_message.hpp"
#include "../run_program.hpp"

namespace mlp::cli {

namespace {

using Kind = DeviceRequest::Kind;

/// A machine with a device. The reference backend stands for the one of the device.
struct Machine {
  cuda::DeviceReport report;
  int num_finds = 0;
  int opened = -1;
  std::size_t memory_bytes = 0;

  Machine() {
    report.is_compiled = true;
    cuda::Device device;
    device.name = "Card";
    device.compute_capability_major = 9;
    report.devices = {device};
  }

  Devices devices() {
    Devices devices;
    devices.find = [this] {
      ++num_finds;
      return report;
    };
    devices.open =
        [this](const cuda::BackendOptions& options) -> const Backend& {
      opened = options.device;
      memory_bytes = options.memory_limit_bytes;
      return reference_backend();
    };
    return devices;
  }

  GlobalOptions choose(Kind kind, bool is_verbose) {
    GlobalOptions options;
    options.device.kind = kind;
    options.console.is_quiet = true;
    options.console.is_verbose = is_verbose;
    open_requested_device(options, Precision::kFloat64, devices());
    return options;
  }
};

std::string error_of(const std::function<void()>& call) {
  return test::thrown_message<Error>([&] { call(); });
}

}  // namespace

TEST_SUITE("cli/device/device_choice") {
  TEST_CASE("computes on the CPU without the flag, and looks for no device") {
    Machine machine;

    CHECK(machine.choose(Kind::kAuto, false).backend.device == "cpu");
    CHECK(machine.choose(Kind::kCpu, true).backend.device == "cpu");

    CHECK(machine.num_finds == 0);
  }

  TEST_CASE("refuses a limit of a device's memory where the CPU computes") {
    Machine machine;
    GlobalOptions options;
    options.device.memory_bytes = 8'000'000'000;

    CHECK(error_of([&] {
            open_requested_device(options, Precision::kFloat64,
                                  machine.devices());
          }) == kUnusedDeviceMemory);
  }

  TEST_CASE("looks for devices if it shall tell about them, and opens none") {
    Machine machine;

    CHECK(machine.choose(Kind::kAuto, true).backend.device == "cpu");

    CHECK(machine.num_finds == 1);
    CHECK(machine.opened == -1);
  }

  TEST_CASE("says that a device is not used unless the flag names it") {
    Machine machine;
    CHECK(describe_auto(machine.report) ==
          "--device auto uses the CPU and not cuda:0 (Card), which rounds in "
          "another order; --device cuda uses the device");

    machine.report.devices[0].compute_capability_major = 7;
    CHECK(describe_auto(machine.report).empty());
    machine.report.devices.clear();
    CHECK(describe_auto(machine.report).empty());
  }

  TEST_CASE("opens the device of the flag, or one that the precision needs") {
    Machine machine;
    GlobalOptions options;
    options.device.kind = Kind::kCuda;
    options.device.index = 1;
    options.device.memory_bytes = 77;
    open_requested_device(options, Precision::kFloat64, machine.devices());
    CHECK(options.backend.device == "cuda:1");
    CHECK(machine.opened == 1);
    CHECK(machine.memory_bytes == 77);

    options = {};
    open_requested_device(options, Precision::kFloat32, machine.devices());
    CHECK(options.backend.device == "cpu");
    open_requested_device(options, Precision::kBfloat16, machine.devices());
    CHECK(options.backend.device == "cuda:0");
  }

  TEST_CASE("refuses a precision that the CPU lacks") {
    Machine machine;
    machine.report.refusal = "no NVIDIA driver is installed";
    GlobalOptions options;
    CHECK(error_of([&] {
            open_requested_device(options, Precision::kTensorFloat32,
                                  machine.devices());
          }) ==
          "--precision: tf32 needs an NVIDIA device; no NVIDIA driver is "
          "installed");
    options.device.kind = Kind::kCpu;
    CHECK(error_of([&] {
            open_requested_device(options, Precision::kBfloat16,
                                  machine.devices());
          }) ==
          "--precision: bf16 needs an NVIDIA device, and the CPU computes; use "
          "float32, or --device cuda without --backend");
  }

  TEST_CASE("opens no library of CUDA for Iris") {
    const test::ScratchFolder folder;
    ::setenv("LD_DEBUG", "files", 1);
    ::setenv("LD_DEBUG_OUTPUT", (folder / "files").c_str(), 1);
    test::Program training(
        {"train", test::data_file("iris.csv"), "--layers", "4,5,4,3"});
    const std::string log = folder / "files." + std::to_string(training.id());
    const auto result = training.finish();
    ::unsetenv("LD_DEBUG");
    ::unsetenv("LD_DEBUG_OUTPUT");

    CHECK(result.exit_code == 0);
    const std::string files = test::read_bytes(log);
    CHECK(files.find("libc.so") != files.npos);
    for (const char* const library : {"libcuda", "libcublas", "libnccl"}) {
      CAPTURE(library);
      CHECK(files.find(library) == files.npos);
    }
  }
}

}  // namespace mlp::cli
