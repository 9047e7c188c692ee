// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_check.hpp"

#include <algorithm>

#include "../core/error.hpp"

namespace mlp::cuda {

namespace {

std::string list_devices(const DeviceReport& report) {
  std::string text;
  for (const Device& device : report.devices) {
    text += (text.empty() ? "" : ", ") + describe_device(device);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string describe_device(const Device& device) {
  return "cuda:" + std::to_string(device.index) + " (" + device.name + ')';
}

void require_device(const DeviceReport& report, int index,
                    const std::string& prefix) {
  if (!report.is_compiled) {
    throw NotCompiled(prefix + "the CUDA backend", "MLP_WITH_CUDA",
                      "the CUDA Toolkit 12.8 or later");
  }
  if (!report.refusal.empty()) throw DeviceError(prefix + report.refusal);
  const auto found =
      std::find_if(report.devices.begin(), report.devices.end(),
                   [&](const Device& device) { return device.index == index; });
  if (found == report.devices.end()) {
    throw DeviceError(
        prefix + "this machine has no device cuda:" + std::to_string(index) +
        "; it has " + list_devices(report));
  }
  if (found->compute_capability_major < kLeastComputeCapability) {
    throw DeviceError(
        prefix + describe_device(*found) + " has compute capability " +
        std::to_string(found->compute_capability_major) + '.' +
        std::to_string(found->compute_capability_minor) + "; expected " +
        std::to_string(kLeastComputeCapability) + ".0 or later");
  }
  if (!report.cublas_refusal.empty()) {
    throw DeviceError(prefix + report.cublas_refusal);
  }
}

}  // namespace mlp::cuda
