// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/device/device_choice.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>

#include "../../../core/error.hpp"
#include "../../../mlp/backend/reference_backend.hpp"
#include "../run_program.hpp"

namespace mlp::cli {

namespace {

using Kind = DeviceRequest::Kind;

/// A machine with devices that counts what is asked of it. The reference backend
/// stands for the one of the device.
struct Machine {
  cuda::DeviceReport report;
  int num_finds = 0;
  int num_measures = 0;
  int opened = -1;
  std::size_t memory_bytes = 0;
  std::string failure;
  bool is_faulty = false;  // the driver fails while it is asked

  Machine() {
    report.is_compiled = true;
    report.devices = {make_device(0, 1), make_device(1, 100)};
  }

  static cuda::Device make_device(int index, int num_multiprocessors) {
    cuda::Device device;
    device.index = index;
    device.name = "Card";
    device.compute_capability_major = 9;
    device.num_multiprocessors = num_multiprocessors;
    device.clock_hertz = 1e9;
    device.memory_bytes_per_second = 1e12;
    return device;
  }

  Devices devices() {
    Devices devices;
    devices.is_compiled = report.is_compiled;
    devices.find = [this] {
      ++num_finds;
      if (is_faulty) throw DeviceError("the GPU is lost");
      return report;
    };
    devices.open =
        [this](const cuda::BackendOptions& options) -> const Backend& {
      if (!failure.empty()) throw DeviceError(failure);
      opened = options.device;
      memory_bytes = options.memory_limit_bytes;
      return reference_backend();
    };
    return devices;
  }

  /// \param seconds  that the CPU is measured to need in all
  GlobalOptions choose(const cuda::Work& work, double seconds,
                       Kind kind = Kind::kAuto) {
    GlobalOptions options;
    options.console.is_quiet = true;
    options.backend = {"cpu", nullptr};
    options.device.kind = kind;
    options.device.memory_bytes = 77;
    const auto measure = [&] {
      ++num_measures;
      return seconds / (work.num_evaluations * work.instances_per_evaluation);
    };
    choose_device(options, work, measure, devices());
    return options;
  }
};

/// 1e13 flops: 1 s of arithmetic on the larger device.
cuda::Work large_work() {
  cuda::Work work;
  work.num_evaluations = 10.0;
  work.instances_per_evaluation = 1e6;
  work.flops_per_instance = 1e6;
  return work;
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE("cli/device/device_choice") {
  TEST_CASE("takes the fastest device for large work") {
    Machine machine;

    const GlobalOptions options = machine.choose(large_work(), 100.0);

    CHECK(machine.opened == 1);
    CHECK(machine.memory_bytes == 77);
    CHECK(options.backend.name == "cuda");
    CHECK(options.backend.device == "cuda:1");
    CHECK(options.backend.implementation == &reference_backend());
  }

  TEST_CASE("neither measures nor looks for devices for small work") {
    Machine machine;
    cuda::Work work = large_work();
    work.flops_per_instance = 10.0;

    const GlobalOptions options = machine.choose(work, 100.0);

    CHECK(options.backend.device == "cpu");
    CHECK(machine.num_measures == 0);
    CHECK(machine.num_finds == 0);
  }

  TEST_CASE("looks for no device if the CPU is fast enough") {
    Machine machine;

    CHECK(machine.choose(large_work(), 1.0).backend.device == "cpu");
    CHECK(machine.num_measures == 1);
    CHECK(machine.num_finds == 0);
  }

  TEST_CASE("leaves a device alone that saves too little") {
    Machine machine;

    // The device: 0.5 + 1e13 / (0.4 * 25.6e12) = 1.48 s.
    CHECK(machine.choose(large_work(), 2.2).backend.device == "cpu");
    CHECK(machine.num_finds == 1);
    CHECK(machine.opened == -1);
    CHECK(machine.choose(large_work(), 2.7).backend.device == "cuda:1");
  }

  TEST_CASE("computes on the CPU if no device can be used") {
    Machine machine;
    machine.report.devices[1].compute_capability_major = 7;
    machine.report.devices.erase(machine.report.devices.begin());
    CHECK(machine.choose(large_work(), 100.0).backend.device == "cpu");
    machine.report.devices.clear();
    machine.report.refusal = "no driver";
    CHECK(machine.choose(large_work(), 100.0).backend.device == "cpu");
    CHECK(machine.opened == -1);

    Machine faulty;
    faulty.is_faulty = true;
    CHECK(faulty.choose(large_work(), 100.0).backend.device == "cpu");

    Machine failing;
    failing.failure = "out of memory";
    CHECK(failing.choose(large_work(), 100.0).backend.device == "cpu");
  }

  TEST_CASE("asks nothing if the flag chooses, or without CUDA") {
    Machine machine;
    CHECK(machine.choose(large_work(), 100.0, Kind::kCpu).backend.device ==
          "cpu");
    machine.report.is_compiled = false;
    CHECK(machine.choose(large_work(), 100.0).backend.device == "cpu");
    CHECK(machine.num_measures == 0);
    CHECK(machine.num_finds == 0);
  }

  TEST_CASE("opens the device of the flag, or one that the precision needs") {
    Machine machine;
    GlobalOptions options;
    options.device.kind = Kind::kCuda;
    options.device.index = 1;
    open_requested_device(options, Precision::kFloat64, machine.devices());
    CHECK(options.backend.device == "cuda:1");
    CHECK(machine.opened == 1);

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

  TEST_CASE("says what was predicted") {
    CHECK(describe_choice(100.0, 4.25, "cuda:0 (Card)") ==
          "--device auto: the CPU needs about 100 s; cuda:0 (Card) needs about "
          "4.25 s, and is used");
    CHECK(describe_choice(2.0, 1.5, "even the fastest device") ==
          "--device auto: the CPU needs about 2 s; even the fastest device "
          "needs about 1.5 s, which saves too little");
    CHECK(describe_choice(2.0, std::numeric_limits<double>::infinity(),
                          "no driver") ==
          "--device auto: the CPU needs about 2 s; no device is used: no "
          "driver");
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
