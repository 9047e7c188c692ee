// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command_table.hpp"

namespace mlp::cli {

/// What `mlp --help` prints: examples, commands, global flags, exit codes.
[[nodiscard]] std::string overview_help();

/// What `mlp COMMAND --help` prints: a page in the manner of man.
[[nodiscard]] std::string command_help(const CommandInfo& command);

/// What `mlp` alone says.
[[nodiscard]] std::string short_usage();

}  // namespace mlp::cli
