// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mlp::cli {

/// The kinds of files that an output may be written to.
enum class OutputKind {
  kAny,      ///< a device or a pipe too
  kRegular,  ///< only a regular file, because it is replaced again and again
};

/// The files that a command reads and writes, with the flag of each. They are
/// checked before a command reads or computes anything.
class OutputFiles {
 public:
  /// Adds a file that the command reads.
  ///
  /// \param flag  as messages name it: a flag with its dashes, or an argument
  /// \param path  "-" is standard input; an empty name is ignored
  void add_input(const std::string& flag, const std::string& path);

  /// Adds a file that the command writes.
  ///
  /// \param path  "-" is standard output; an empty name is ignored
  void add_output(const std::string& flag, const std::string& path,
                  OutputKind kind);

  /// Adds a file that the command makes by renaming another output.
  void add_renamed_output(const std::string& flag, const std::string& path);

  /// Refuses an output that is the same file as an input or another output, under
  /// any name: links are followed, and files that do not exist yet are compared
  /// by their folder and name.
  ///
  /// \throws UsageError naming both flags and both paths
  void check_distinct() const;

  /// Checks that each output can be written, by making a temporary file in its
  /// folder as the later write will do.
  ///
  /// \throws UsageError naming the flag if an output must be a regular file and
  ///         is a device or a pipe; ResourceError if it is a directory, or if no
  ///         file can be created in its folder
  void check_writable() const;

 private:
  struct File {
    std::string flag;
    std::string path;
    bool is_input = false;
    bool is_renamed = false;
    OutputKind kind = OutputKind::kAny;
  };

  void add(File file);

  std::vector<File> files_;
};

}  // namespace mlp::cli
