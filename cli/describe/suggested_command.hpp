// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "../flags/command_line.hpp"
#include "../flags/global_options.hpp"
#include "../train/train_options.hpp"

namespace mlp::cli {

/// Returns a command that trains on a data file, as a user types it in a shell.
///
/// The flags are those of the command line, and those that the file needs: the label,
/// what it is, the columns to leave out and to encode, and what to do with missing
/// values. The command is tried: it reads the file and finds the classes.
/// \param line     of inspect
/// \param options  the same, read
/// \param is_readable  the file was read with these options before
/// \return nothing if no flags were found with which the file can be read
/// \cost   reads the file once for each column that needs a decision of its own
[[nodiscard]] std::optional<std::string> suggest_command(
    const CommandLine& line, const TrainOptions& options,
    const GlobalOptions& global, bool is_readable);

}  // namespace mlp::cli
