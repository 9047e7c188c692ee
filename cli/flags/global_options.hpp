// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "../console/console.hpp"
#include "backend_choice.hpp"
#include "command_line.hpp"
#include "flag_reader.hpp"
#include "flag_values.hpp"

namespace mlp::cli {

/// The device that the flags ask for.
struct DeviceRequest {
  enum class Kind { kAuto, kCpu, kCuda };

  Kind kind = Kind::kAuto;
  int index = 0;           ///< of kCuda
  bool has_index = false;  ///< the flag is cuda:N

  /// The maximum device memory that is used; 0: all free memory.
  std::size_t memory_bytes = 0;
};

/// The refusal of --device-memory where it limits nothing.
inline constexpr const char* kUnusedDeviceMemory =
    "--device-memory: is about an NVIDIA device, and the CPU computes; "
    "leave it out, or add --device cuda";

/// Reads --device and --device-memory. A backend of the CPU asks for the CPU.
///
/// \throws ParamError naming the flag; NotCompiled or DeviceError if the device
///         that the flag names cannot be used
[[nodiscard]] DeviceRequest read_device_request(const FlagReader& flags);

/// The values of the flags that every command accepts.
struct GlobalOptions {
  bool is_json = false;
  int num_threads = 1;
  ProgressMode progress = ProgressMode::kAuto;

  /// Of the CPU, until a device is opened.
  ChosenBackend backend;

  DeviceRequest device;
  Console console;
};

/// Reads the flags that every command accepts.
///
/// \throws ParamError naming the flag, what it must be and what it is;
///         as read_device_request() and choose_backend()
[[nodiscard]] GlobalOptions read_global_options(const CommandLine& line);

}  // namespace mlp::cli
