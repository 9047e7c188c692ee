// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_choice.hpp"

#include "../../core/error.hpp"
#include "../../cuda/device_check.hpp"

namespace mlp::cli {

namespace {

using Kind = DeviceRequest::Kind;

ChosenBackend open_device(const Devices& devices, const DeviceRequest& request,
                          int index) {
  const cuda::BackendOptions options{index, request.memory_bytes};
  return {"cuda", &devices.open(options), "cuda:" + std::to_string(index)};
}

}  // namespace

bool needs_device(Precision precision) {
  return precision == Precision::kTensorFloat32 ||
         precision == Precision::kBfloat16;
}

std::string describe_auto(const cuda::DeviceReport& report) {
  for (const cuda::Device& device : report.devices) {
    try {
      cuda::require_device(report, device.index, "");
    } catch (const Error&) {
      continue;
    }
    return "--device auto uses the CPU and not " +
           cuda::describe_device(device) +
           ", which rounds in another order; --device cuda uses the device";
  }
  return "";
}

void open_requested_device(GlobalOptions& options, Precision precision,
                           const Devices& devices) {
  if (options.device.kind == Kind::kCuda) {
    options.backend =
        open_device(devices, options.device, options.device.index);
    return;
  }
  if (!needs_device(precision)) {
    if (options.device.memory_bytes != 0) throw ParamError(kUnusedDeviceMemory);
    // Looking for devices opens the driver.
    if (options.device.kind == Kind::kCpu || !options.console.is_verbose) {
      return;
    }
    const std::string sentence = describe_auto(devices.find());
    if (!sentence.empty()) options.console.detail(sentence);
    return;
  }
  const std::string sentence = std::string("--precision: ") +
                               precision_name(precision) +
                               " needs an NVIDIA device";
  if (options.device.kind == Kind::kCpu) {
    throw ParamError(sentence +
                     ", and the CPU computes; use float32, or --device cuda "
                     "without --backend");
  }
  cuda::require_device(devices.find(), 0, sentence + "; ");
  options.backend = open_device(devices, options.device, 0);
}

}  // namespace mlp::cli
