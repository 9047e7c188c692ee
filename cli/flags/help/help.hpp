// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "../command_table.hpp"

namespace mlp::cli {

/// Returns what `mlp --help` prints: examples and commands, on one screen.
[[nodiscard]] std::string overview_help();

/// Returns what `mlp COMMAND --help` prints: a page in the style of man, with
/// the flags in groups and the exit codes.
[[nodiscard]] std::string command_help(const CommandInfo& command);

/// Returns what `mlp` prints without arguments.
[[nodiscard]] std::string short_usage();

/// Formats the sentence of a command as in the NAME line of man: no capital, no
/// full stop.
[[nodiscard]] std::string name_line(std::string_view sentence);

/// Writes the man page of a command, mlp-COMMAND(1), in the man macros of troff.
///
/// \source man(7)
[[nodiscard]] std::string man_page(const CommandInfo& command);

/// Writes the man page of the program, mlp(1), which lists the commands.
[[nodiscard]] std::string man_page();

/// Writes the script that makes a shell complete commands, flags and values.
///
/// \param shell  bash, zsh or fish
/// \throws UsageError for another shell
[[nodiscard]] std::string completion_script(std::string_view shell);

}  // namespace mlp::cli
