// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "output_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/files/atomic_file.hpp"
#include "usage_error.hpp"

namespace mlp::cli {

namespace {

/// What two names of one file have in common: device and inode; for a file that
/// does not exist yet, device and inode of its folder, and its name.
using FileIdentity = std::tuple<dev_t, ino_t, std::string>;

/// Returns the status of a file, or nothing if there is none.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

/// Returns the status of a standard stream.
std::optional<struct stat> status_of_stream(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return std::nullopt;
  return status;
}

/// Returns nothing for a device, a pipe, a directory, or a file in a folder that
/// does not exist.
std::optional<FileIdentity> identify(const std::string& path, bool is_input) {
  const auto status =
      path == "-" ? status_of_stream(is_input ? STDIN_FILENO : STDOUT_FILENO)
                  : status_of(path);
  if (status) {
    if (!S_ISREG(status->st_mode)) return std::nullopt;
    return FileIdentity(status->st_dev, status->st_ino, "");
  }
  if (path == "-" || errno != ENOENT) return std::nullopt;
  const std::string target = mlp::detail::follow_links<ResourceError>(path);
  const auto folder = status_of(mlp::detail::directory_of(target));
  if (!folder) return std::nullopt;
  return FileIdentity(folder->st_dev, folder->st_ino,
                      target.substr(target.rfind('/') + 1));
}

[[noreturn]] void refuse_path(const std::string& path,
                              const std::string& reason) {
  throw ResourceError(path, "cannot be written: " + reason);
}

/// Returns true for a file that is mounted by itself, for example in a container:
/// no other file can be renamed to its name.
bool is_mount_point(const std::string& path) {
  struct statx status {};
  return ::statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

}  // namespace

void OutputFiles::add(File file) {
  if (!file.path.empty()) files_.push_back(std::move(file));
}

void OutputFiles::add_input(const std::string& flag, const std::string& path) {
  File file{flag, path};
  file.is_input = true;
  add(std::move(file));
}

void OutputFiles::add_output(const std::string& flag, const std::string& path,
                             OutputKind kind) {
  File file{flag, path};
  file.kind = kind;
  add(std::move(file));
}

void OutputFiles::add_renamed_output(const std::string& flag,
                                     const std::string& path) {
  File file{flag, path};
  file.is_renamed = true;
  file.kind = OutputKind::kRegular;
  add(std::move(file));
}

void OutputFiles::check_distinct() const {
  for (const File& file : files_) {
    if (file.is_input || file.kind == OutputKind::kAny || file.path != "-") {
      continue;
    }
    throw UsageError(file.flag +
                     ": '-' is standard output; expected a regular file; name "
                     "another file");
  }
  std::map<FileIdentity, const File*> seen;
  // Inputs first: two inputs may be one file, and an output is then compared
  // with all of them.
  for (const bool is_input : {true, false}) {
    for (const File& file : files_) {
      if (file.is_input != is_input) continue;
      const auto identity = identify(file.path, is_input);
      if (!identity) continue;
      const auto [place, is_new] = seen.emplace(*identity, &file);
      if (is_new || is_input) continue;
      const File& other = *place->second;
      throw UsageError(file.flag + ": '" + file.path +
                       "' is the same file as " + other.flag + " '" +
                       other.path +
                       "', which would be overwritten; name another file");
    }
  }
}

void OutputFiles::check_writable() const {
  for (const File& file : files_) {
    if (file.is_input || file.path == "-") continue;
    const auto status = status_of(file.path);
    if (status && S_ISDIR(status->st_mode)) {
      refuse_path(file.path, "it is a directory; name a file");
    }
    if (status && !S_ISREG(status->st_mode)) {
      if (file.kind == OutputKind::kAny) continue;
      throw UsageError(file.flag + ": '" + file.path +
                       "' is a device or a pipe; expected a regular file, "
                       "which is replaced; name another file");
    }
    if (file.is_renamed) continue;
    // The slash makes a file in place of the folder an error of its own.
    const std::string folder =
        mlp::detail::directory_of(
            mlp::detail::follow_links<ResourceError>(file.path)) +
        '/';
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
      refuse_path(file.path, std::strerror(errno));
    }
    if (is_mount_point(file.path)) {
      refuse_path(file.path,
                  "it is mounted by itself and cannot be replaced; mount its "
                  "folder instead");
    }
    check_replaceable<ResourceError>(file.path);
  }
}

}  // namespace mlp::cli
