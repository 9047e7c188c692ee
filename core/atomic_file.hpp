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

namespace mlp {

namespace detail {

/// Throws what a failed step of writing means: ResourceError where the machine
/// ran out of something, FileError where the path is at fault.
///
/// \param obstacle  what stood in the way, ending with ": "; may be empty
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

/// open(2) that goes on after a signal.
inline int open_retrying(const std::string& path, int flags, mode_t mode = 0) {
  int descriptor = 0;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

/// fsync(2) that goes on after a signal.
inline int sync_retrying(int descriptor) {
  int result = 0;
  do {
    result = ::fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  return result;
}

/// Writes every byte, whatever the system takes at once.
template <class FileError>
void write_fully(int descriptor, std::string_view content,
                 const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written > 0) {
      content.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      // A device that takes nothing would be asked for ever.
      throw_write_error<FileError>(path, "", written == 0 ? EIO : errno);
    }
  }
}

/// The directory that holds a path: "." where the path names none.
inline std::string directory_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Follows symbolic links to the file they mean, which need not exist.
template <class FileError>
std::string follow_links(std::string path) {
  constexpr int kMaxLinks = 40;  // as Linux itself
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

/// A new file beside the one it shall replace. Unlinked at the end of its scope
/// unless it took the other's place.
template <class FileError>
class Replacement {
 public:
  /// \param name    the file in messages
  /// \param target  the file to replace
  /// \param mode    permission bits, which the process's umask narrows
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
          name_, "no file can be made in " + directory + ": ", error_number);
    }
  }

  ~Replacement() {
    ::close(descriptor_);
    if (!is_in_place_) ::unlink(path_.c_str());
  }

  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// Forces the bytes to the disk, then replaces the target at one stroke.
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
  /// Short, so that it fits wherever the target's name does. The clock sets it
  /// apart from what a killed process with the same number left behind.
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

/// Makes a rename survive a power cut. A directory that may not be read, or a
/// file system that knows no such call, leaves it to the system's own time.
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

/// Writes to what cannot be replaced: a device, a pipe.
template <class FileError>
void write_directly(const std::string& path, std::string_view content) {
  const int descriptor = open_retrying(path, O_WRONLY);
  if (descriptor < 0) throw_write_error<FileError>(path, "", errno);
  const DescriptorGuard guard(descriptor);
  write_fully<FileError>(descriptor, content, path);
}

}  // namespace detail

/// Writes a file so that a reader, a crash or a full disk meets the old content
/// or the new one, never a part.
///
/// A temporary file in the same directory is written, forced to the disk and
/// renamed; then the directory is forced to the disk. A symbolic link stays,
/// and the file it means is replaced. An existing file's permission bits are
/// kept where the file system allows, and never widened; its owner becomes the
/// writer. A device or a pipe is written directly.
/// \throws FileError(path, sentence) for a directory and where the path cannot
///         be opened or replaced; ResourceError where space, quota, file
///         handles or memory end, or the disk fails. The old file is untouched,
///         and no temporary file is left, unless the sentence says that the
///         directory cannot be synchronised: then the new file is in place.
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
    // Where it fails, the file has fewer permissions than the old one.
    static_cast<void>(::fchmod(replacement.descriptor(), mode));
  }
  detail::write_fully<FileError>(replacement.descriptor(), content, path);
  replacement.take_place();
  detail::sync_directory<FileError>(detail::directory_of(target), path);
}

}  // namespace mlp
