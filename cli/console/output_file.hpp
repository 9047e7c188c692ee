// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Checks the path of an output file before it is written.

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <string>

#include "../../core/error.hpp"
#include "usage_error.hpp"

namespace mlp::cli {

/// Refuses an output path that would replace an input file.
///
/// \param path    the file to write
/// \param inputs  the files read; empty names are ignored
/// \throws UsageError if path is one of the inputs, under any name
inline void check_not_an_input(const std::string& path,
                               std::initializer_list<std::string> inputs) {
  struct stat target {};
  if (path == "-" || ::stat(path.c_str(), &target) != 0) return;
  for (const std::string& input : inputs) {
    struct stat source {};
    if (::stat(input.c_str(), &source) != 0 || !S_ISREG(source.st_mode)) {
      continue;
    }
    if (source.st_dev == target.st_dev && source.st_ino == target.st_ino) {
      throw UsageError("--out: '" + path + "' is an input, '" + input +
                       "', which would be overwritten; name another file");
    }
  }
}

/// Checks that a file can be written, before a long computation starts.
///
/// \throws ResourceError if the path is a directory, or if no file can be
///         created in its folder
inline void check_writable(const std::string& path) {
  struct stat target {};
  const bool exists = ::stat(path.c_str(), &target) == 0;
  if (exists && S_ISDIR(target.st_mode)) {
    throw ResourceError(path,
                        "cannot be written: it is a directory; name a file");
  }
  if (exists && !S_ISREG(target.st_mode)) return;
  const std::size_t slash = path.rfind('/');
  const std::string folder =
      slash == path.npos ? "." : path.substr(0, slash + 1);
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return;
  throw ResourceError(
      path, std::string("cannot be written: ") + std::strerror(errno));
}

}  // namespace mlp::cli
