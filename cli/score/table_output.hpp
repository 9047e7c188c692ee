// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "../../core/ordered_pieces.hpp"
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

  /// Returns true if the output is a regular file, which is replaced only when the
  /// table is complete.
  [[nodiscard]] bool is_replaced() const;

  /// Writes the table, and a note if it is a file. A regular file is replaced when
  /// the table is complete. Standard output is written while somebody reads it.
  ///
  /// \param write_table  passes the table on, in pieces. If it throws, an old file
  ///                     is unchanged; standard output, a device or a pipe may have
  ///                     received the first pieces.
  /// \param contents     what the table has, such as "3 features of 9 instances";
  ///                     is read after write_table
  /// \throws ResourceError if it cannot be written; what write_table throws
  void write(const std::function<void(const TextSink&)>& write_table,
             const std::string& contents, const Console& console) const;

  /// Writes a table that is in memory.
  void write(const std::string& table, const std::string& contents,
             const Console& console) const;

 private:
  std::string path_;
};

}  // namespace mlp::cli
