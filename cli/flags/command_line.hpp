// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command_table.hpp"
#include "option_table.hpp"

namespace mlp::cli {

/// One flag of a command line.
struct GivenOption {
  const OptionInfo* option;
  std::string value;  ///< empty for a switch
};

/// A command line that was checked against the tables.
struct CommandLine {
  const CommandInfo* command = nullptr;  ///< null if none is named
  std::vector<std::string> arguments;    ///< of the command
  std::vector<GivenOption> options;      ///< each at most once
  std::vector<std::string> words;        ///< the whole command line, as given

  /// Tells whether a flag was given.
  /// \param name  as in the table
  [[nodiscard]] bool has(std::string_view name) const;

  /// Returns the data files, folders and patterns among the arguments.
  [[nodiscard]] std::vector<std::string> data() const;

  /// Returns the value of a flag, or nothing if it was not given.
  [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
};

/// Parses a command line.
///
/// Flags may stand before and after the command, as --flag value or
/// --flag=value, in any of their spellings; -- ends them. A value may be a
/// negative number. Prefixes of flags are not guessed.
/// \param words  without the program's name
/// \throws UsageError naming an unknown, repeated or misplaced flag, a missing
///         or superfluous value, an unknown command, or a wrong number of
///         arguments
[[nodiscard]] CommandLine parse_command_line(std::vector<std::string> words);

}  // namespace mlp::cli
