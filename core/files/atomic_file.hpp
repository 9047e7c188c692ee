// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "file_replacement.hpp"
#include "read_file.hpp"

/// Atomic file writes: a reader sees the old content or the new content.
namespace mlp {

namespace detail {

/// Writes to a file that cannot be replaced, such as a device or a pipe.
template <class FileError, class Produce>
void write_directly(const std::string& path, const Produce& produce) {
  const int descriptor = open_retrying(path, O_WRONLY);
  if (descriptor < 0) throw_write_error<FileError>(path, "", errno);
  const DescriptorGuard guard(descriptor);
  produce([&](std::string_view piece) {
    write_fully<FileError>(descriptor, piece, path);
  });
}

}  // namespace detail

/// Returns true if the path exists and is a device, a pipe or a socket.
inline bool is_device_or_pipe(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
         !S_ISDIR(status.st_mode);
}

/// Replaces a regular file atomically, or makes a new one.
///
/// A reader sees the complete old content or the complete new content, even
/// after a crash or if the disk is full. The content is written to a temporary
/// file in the same directory, flushed to the disk and renamed; then the
/// directory is flushed.
/// \throws FileError(path, sentence) if the path is a directory, a device or a
///         pipe, or cannot be replaced; ResourceError if space, quota, file
///         handles or memory run out, or the disk fails. The old file is then
///         unchanged and no temporary file is left. But if the sentence says
///         that the directory cannot be synchronised, the new file is in place.
template <class FileError>
void replace_file(const std::string& path, std::string_view content) {
  FileReplacement<FileError> replacement(path);
  replacement.write(content);
  replacement.take_place();
}

/// Writes a file as replace_file() does, but in pieces, so that its content need not
/// be in memory at once. A device or a pipe is written directly.
///
/// \param produce  calls the function that it receives with each piece in turn. If
///                 it throws, an old file is unchanged.
/// \throws as replace_file() does, and what produce throws
template <class FileError, class Produce>
void write_pieces_atomically(const std::string& path, const Produce& produce) {
  if (is_device_or_pipe(path)) {
    return detail::write_directly<FileError>(path, produce);
  }
  FileReplacement<FileError> replacement(path);
  produce([&](std::string_view piece) { replacement.write(piece); });
  replacement.take_place();
}

/// Writes a file as replace_file() does. A device or a pipe is written directly.
///
/// \throws as replace_file() does
template <class FileError>
void write_atomically(const std::string& path, std::string_view content) {
  write_pieces_atomically<FileError>(
      path, [&](const auto& write) { write(content); });
}

/// Checks that a file can be replaced or made: creates a temporary file beside it
/// and removes it.
///
/// \throws as replace_file() does
template <class FileError>
void check_replaceable(const std::string& path) {
  FileReplacement<FileError> probe(path);
  // A full disk may have room for a name and for no byte.
  probe.write("\n");
}

}  // namespace mlp
