// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Writes to standard output and standard error.

#include <exception>
#include <string>
#include <string_view>

#include "../../core/utf8.hpp"

namespace mlp::cli {

/// Prepares the process for closed standard streams, closed pipes and a limit of
/// the file size: writes then fail with an error instead of a signal.
///
/// Must be called once, before everything else.
void prepare_console();

/// Writes data to standard output. If the reader of a pipe has ended, as that of
/// `mlp ... | head` does, the data are dropped: they were asked for by nobody.
///
/// \throws ResourceError if it is closed or the disk is full
void write_output(std::string_view text);

/// The reader of standard output has ended.
struct OutputUnread : std::exception {
  [[nodiscard]] const char* what() const noexcept override {
    return "the reader of standard output has ended";
  }
};

/// Writes a part of data to standard output, whose other parts need time.
///
/// \throws OutputUnread if the reader of a pipe has ended; otherwise as
///         write_output()
void write_output_part(std::string_view text);

/// Writes to standard error. Failures are ignored.
void write_message(std::string_view text);

/// Writes an error on one line, with control characters escaped.
void write_error(std::string_view sentence);

/// Writes a warning, even if the program is quiet.
void write_warning(const std::string& sentence);

/// The verbosity of messages that are not errors.
struct Console {
  bool is_quiet = false;
  bool is_verbose = false;

  /// No warnings either: another rank writes the same.
  bool is_silent = false;

  /// Writes a note on one line, unless the program is quiet.
  void note(const std::string& sentence) const {
    if (!is_quiet) write_message("mlp: note: " + printable(sentence) + '\n');
  }

  /// Writes a warning on one line, also if the program is quiet: the result is
  /// probably wrong.
  void warn(const std::string& sentence) const {
    if (!is_silent) write_warning(sentence);
  }

  /// Writes a note only if the program is verbose.
  void detail(const std::string& sentence) const {
    if (is_verbose) note(sentence);
  }
};

}  // namespace mlp::cli
