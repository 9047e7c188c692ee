// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../console/console.hpp"
#include "../flags/command_line.hpp"

namespace mlp::cli {

/// Where predict and featurize write their table: the file of --out, or standard
/// output.
class TableOutput {
 public:
  /// \param line  with the arguments MODEL and DATA
  /// \throws UsageError if the file is one of these; ResourceError if it cannot
  ///         be written
  explicit TableOutput(const CommandLine& line);

  /// Writes the table, and a note if it is a file.
  ///
  /// \param contents  what the table has, such as "3 features of 9 instances"
  /// \throws ResourceError if it cannot be written
  void write(const std::string& table, const std::string& contents,
             const Console& console) const;

 private:
  std::string path_;
};

}  // namespace mlp::cli
