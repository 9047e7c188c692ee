// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../console/console.hpp"
#include "backend_choice.hpp"
#include "command_line.hpp"
#include "device_request.hpp"
#include "flag_values.hpp"

namespace mlp::cli {

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
