// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "console.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>

#include "../../core/error.hpp"

namespace mlp::cli {

namespace {

/// Writes the whole text; returns 0 or errno.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

void prepare_console() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // If a standard stream is closed, the next file opened would get its number
  // and receive messages. Standard input and output are opened for reading
  // only, so that writing to them fails.
  for (int stream = 0; stream <= 2; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    if (::open("/dev/null", stream == 2 ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

void write_output_part(std::string_view text) {
  const int failure = write_all(STDOUT_FILENO, text);
  if (failure == 0) return;
  if (failure == EPIPE) throw OutputUnread();
  throw ResourceError("standard output",
                      std::string("cannot be written: ") +
                          std::strerror(failure) +
                          "; the result is lost or incomplete");
}

void write_output(std::string_view text) try {
  write_output_part(text);
} catch (const OutputUnread&) {
}

void write_message(std::string_view text) {
  static_cast<void>(write_all(STDERR_FILENO, text));
}

void write_error(std::string_view sentence) {
  write_message("mlp: error: " + printable(sentence) + '\n');
}

void write_warning(const std::string& sentence) {
  write_message("mlp: warning: " + printable(sentence) + '\n');
}

}  // namespace mlp::cli
