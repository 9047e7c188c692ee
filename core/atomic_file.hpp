// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "error.hpp"
#include "read_file.hpp"

/// Atomic file writes: a reader sees the old content or the new content.
namespace mlp {

namespace detail {

/// Throws the error of a failed write.
///
/// \param obstacle  the reason, ending with ": "; may be empty
/// \throws ResourceError if the machine ran out of a resource; FileError if the
///         path is the cause
template <class FileError>
[[noreturn]] void throw_write_error(const std::string& path,
                                    const std::string& obstacle,
                                    int error_number) {
  const std::string sentence =
      "cannot be written: " + obstacle + std::strerror(error_number);
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EIO:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      throw ResourceError(path, sentence);
    default:
      throw FileError(path, sentence);
  }
}

/// Calls open(2) and retries if a signal interrupts it.
inline int open_retrying(const std::string& path, int flags, mode_t mode = 0) {
  int descriptor = 0;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

/// Calls fsync(2) and retries if a signal interrupts it.
inline int sync_retrying(int descriptor) {
  int result = 0;
  do {
    result = ::fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  return result;
}

/// Writes all bytes. One write(2) may accept only some of them.
template <class FileError>
void write_fully(int descriptor, std::string_view content,
                 const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written > 0) {
      content.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      // A device that accepts no bytes would keep this loop running forever.
      throw_write_error<FileError>(path, "", written == 0 ? EIO : errno);
    }
  }
}

/// Returns the directory of a path, or "." if the path names no directory.
inline std::string directory_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Resolves symbolic links. The resulting file need not exist.
template <class FileError>
std::string follow_links(std::string path) {
  constexpr int kMaxLinks = 40;  // the limit in Linux
  const std::string name = path;
  for (int i = 0; i < kMaxLinks; ++i) {
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
    if (size < 0) return path;
    std::string next(target.data(), static_cast<std::size_t>(size));
    path = next.front() == '/' ? next : directory_of(path) + '/' + next;
  }
  throw_write_error<FileError>(name, "", ELOOP);
}

/// A temporary file in the directory of the file that it will replace. The
/// destructor deletes it unless take_place() succeeded.
template <class FileError>
class Replacement {
 public:
  /// \param name    the file name shown in messages
  /// \param target  the file to replace
  /// \param mode    permission bits; the umask of the process removes some
  Replacement(std::string name, std::string target, mode_t mode)
      : name_(std::move(name)), target_(std::move(target)) {
    constexpr int kMaxAttempts = 100;
    const std::string directory = directory_of(target_);
    for (int i = 0; i < kMaxAttempts && descriptor_ < 0; ++i) {
      path_ = directory + unique_name();
      descriptor_ = open_retrying(path_, O_WRONLY | O_CREAT | O_EXCL, mode);
      if (descriptor_ < 0 && errno != EEXIST) break;
    }
    if (descriptor_ < 0) {
      const int error_number = errno;
      throw_write_error<FileError>(
          name_, "no file can be created in " + directory + ": ", error_number);
    }
  }

  ~Replacement() {
    ::close(descriptor_);
    if (!is_in_place_) ::unlink(path_.c_str());
  }

  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// Flushes the bytes to the disk, then renames the file over the target.
  void take_place() {
    if (sync_retrying(descriptor_) != 0) {
      throw_write_error<FileError>(name_, "", errno);
    }
    if (::rename(path_.c_str(), target_.c_str()) != 0) {
      throw_write_error<FileError>(name_, "", errno);
    }
    is_in_place_ = true;
  }

 private:
  /// Returns a short name, so that it fits in every directory that can hold the
  /// target. The time distinguishes it from files that a killed process with
  /// the same process number left behind.
  static std::string unique_name() {
    const auto ticks =
        std::chrono::system_clock::now().time_since_epoch().count();
    return "/.mlp-" + std::to_string(::getpid()) + '-' + std::to_string(ticks) +
           ".tmp";
  }

  std::string name_;
  std::string target_;
  std::string path_;
  int descriptor_ = -1;
  bool is_in_place_ = false;
};

/// Flushes a directory to the disk, so that a rename survives a power failure.
/// Does nothing if the directory is not readable or the file system does not
/// support the call.
template <class FileError>
void sync_directory(const std::string& directory, const std::string& name) {
  const std::string obstacle = directory + " cannot be synchronised: ";
  const int descriptor = open_retrying(directory, O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) {
    if (errno == EACCES) return;
    throw_write_error<FileError>(name, obstacle, errno);
  }
  const DescriptorGuard guard(descriptor);
  if (sync_retrying(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP) {
    throw_write_error<FileError>(name, obstacle, errno);
  }
}

/// Writes to a file that cannot be replaced, such as a device or a pipe.
template <class FileError>
void write_directly(const std::string& path, std::string_view content) {
  const int descriptor = open_retrying(path, O_WRONLY);
  if (descriptor < 0) throw_write_error<FileError>(path, "", errno);
  const DescriptorGuard guard(descriptor);
  write_fully<FileError>(descriptor, content, path);
}

}  // namespace detail

/// Writes a file atomically.
///
/// A reader sees the complete old content or the complete new content, even
/// after a crash or if the disk is full. The content is written to a temporary
/// file in the same directory, flushed to the disk and renamed; then the
/// directory is flushed. If the path is a symbolic link, its target is
/// replaced. An existing file keeps its permission bits, or gets fewer if the
/// file system does not allow them; the process becomes its owner. A device or
/// a pipe is written directly.
/// \throws FileError(path, sentence) if the path is a directory or cannot be
///         opened or replaced; ResourceError if space, quota, file handles or
///         memory run out, or the disk fails. The old file is then unchanged
///         and no temporary file is left. But if the sentence says that the
///         directory cannot be synchronised, the new file is in place.
template <class FileError>
void write_atomically(const std::string& path, std::string_view content) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) {
    detail::throw_write_error<FileError>(path, "", errno);
  }
  if (exists && S_ISDIR(status.st_mode)) {
    detail::throw_write_error<FileError>(path, "", EISDIR);
  }
  if (exists && !S_ISREG(status.st_mode)) {
    return detail::write_directly<FileError>(path, content);
  }
  constexpr mode_t kPermissionBits = 0777;
  constexpr mode_t kNewFileMode = 0666;
  const mode_t mode = exists ? status.st_mode & kPermissionBits : kNewFileMode;
  const std::string target = detail::follow_links<FileError>(path);
  detail::Replacement<FileError> replacement(path, target, mode);
  if (exists) {
    // If fchmod fails, the new file has fewer permissions than the old one.
    static_cast<void>(::fchmod(replacement.descriptor(), mode));
  }
  detail::write_fully<FileError>(replacement.descriptor(), content, path);
  replacement.take_place();
  detail::sync_directory<FileError>(detail::directory_of(target), path);
}

}  // namespace mlp
