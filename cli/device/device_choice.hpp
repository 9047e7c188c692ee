// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Chooses between the CPU and a device.

#include <functional>
#include <string>

#include "../../cuda/cuda_backend.hpp"
#include "../../cuda/devices.hpp"
#include "../flags/global_options.hpp"

namespace mlp::cli {

/// How the devices of this machine are found and opened; tests have others.
struct Devices {
  std::function<cuda::DeviceReport()> find = cuda::find_devices;
  std::function<const Backend&(const cuda::BackendOptions&)> open =
      cuda::backend;
};

/// Returns true if only devices compute in this precision.
[[nodiscard]] bool needs_device(Precision precision);

/// Opens the device that --device names, or that the precision needs: it becomes the
/// backend of the options. Otherwise the CPU computes, and -v says so if there is a
/// device.
///
/// \throws NotCompiled or DeviceError if there is none; ParamError if the CPU
///         computes and a limit of the device's memory was given
void open_requested_device(GlobalOptions& options, Precision precision,
                           const Devices& devices = {});

/// Says that --device auto does not use the devices of a machine; empty if there is
/// none that can be used.
[[nodiscard]] std::string describe_auto(const cuda::DeviceReport& report);

}  // namespace mlp::cli
