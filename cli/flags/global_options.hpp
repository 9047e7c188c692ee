// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "../console/console.hpp"
#include "backend_choice.hpp"
#include "command_line.hpp"

namespace mlp::cli {

/// When progress is shown.
enum class ProgressMode { kAuto, kAlways, kNever };

/// What the flags of every command say.
struct GlobalOptions {
  bool is_json = false;
  int num_threads = 1;
  ProgressMode progress = ProgressMode::kAuto;
  ChosenBackend backend;
  Console console;
};

/// Reads the flags of every command.
///
/// \throws ParamError naming the flag, what it must be and what it is;
///         NotCompiled for a device that this build cannot use; as
///         choose_backend()
[[nodiscard]] GlobalOptions read_global_options(const CommandLine& line);

/// Refuses the value of a flag.
///
/// \param interval  completes "must be ..."
[[noreturn]] void refuse_value(std::string_view name, std::string_view interval,
                               const std::string& value);

}  // namespace mlp::cli
