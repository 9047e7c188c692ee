// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mlp::cli {

/// Makes the program safe to start with closed standard streams and to write
/// into closed pipes. Called once, first.
void prepare_console();

/// Writes data to standard output.
///
/// \throws ResourceError where it is closed, the reader is gone or the disk is
///         full
void write_output(std::string_view text);

/// Writes to standard error. Failures are ignored: there is nobody to tell.
void write_message(std::string_view text);

/// How much the program says on standard error beside errors.
struct Console {
  bool is_quiet = false;
  bool is_verbose = false;

  /// Says something that most users want to know.
  void note(const std::string& sentence) const {
    if (!is_quiet) write_message("mlp: note: " + sentence + '\n');
  }

  /// Says something only where more was asked for.
  void detail(const std::string& sentence) const {
    if (is_verbose) note(sentence);
  }
};

}  // namespace mlp::cli
