// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command_table.hpp"

namespace mlp::cli {

/// Returns what `mlp --help` prints: examples, commands, global flags, exit
/// codes.
[[nodiscard]] std::string overview_help();

/// Returns what `mlp COMMAND --help` prints: a page in the style of man.
[[nodiscard]] std::string command_help(const CommandInfo& command);

/// Returns what `mlp` prints without arguments.
[[nodiscard]] std::string short_usage();

}  // namespace mlp::cli
