// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../command_table.hpp"

namespace mlp::cli {

/// Writes the man page of a command, mlp-COMMAND(1), in the man macros of troff.
///
/// \source man(7)
[[nodiscard]] std::string man_page(const CommandInfo& command);

/// Writes the man page of the program, mlp(1), which lists the commands.
[[nodiscard]] std::string man_page();

}  // namespace mlp::cli
