// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A new version of a file, which replaces the old one when it is complete.

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "../error.hpp"
#include "read_file.hpp"
#include "temporary_file.hpp"

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

}  // namespace detail

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
      detail::throw_write_error<FileError>(path, "",
                                           written == 0 ? EIO : errno);
    }
  }
}

namespace detail {

/// Returns the directory of a path, or "." if the path names no directory.
inline std::string directory_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace detail

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
    path = next.front() == '/' ? next : detail::directory_of(path) + '/' + next;
  }
  detail::throw_write_error<FileError>(name, "", ELOOP);
}

namespace detail {

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

}  // namespace detail

/// A new version of a regular file. It is written to a temporary file in the same
/// directory, which take_place() renames. The destructor deletes the temporary
/// file unless take_place() succeeded.
///
/// If the path is a symbolic link, its target is replaced. An existing file keeps
/// its permission bits, or gets fewer if the file system does not allow them; the
/// process becomes its owner. The first new version in a directory also removes
/// the temporary files of killed processes there.
template <class FileError>
class FileReplacement {
 public:
  /// \throws FileError(path, sentence) if the path is a directory, a device or a
  ///         pipe, or no file can be created beside it; ResourceError if space,
  ///         quota, file handles or memory run out
  explicit FileReplacement(const std::string& path) : name_(path) {
    constexpr mode_t kPermissionBits = 0777;
    constexpr mode_t kNewFileMode = 0666;
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (!exists && errno != ENOENT) {
      detail::throw_write_error<FileError>(path, "", errno);
    }
    if (exists && S_ISDIR(status.st_mode)) {
      detail::throw_write_error<FileError>(path, "", EISDIR);
    }
    if (exists && !S_ISREG(status.st_mode)) {
      throw FileError(path,
                      "cannot be replaced: it is a device or a pipe; expected "
                      "a regular file; name another file");
    }
    target_ = follow_links<FileError>(path);
    directory_ = detail::directory_of(target_);
    create(exists ? status.st_mode & kPermissionBits : kNewFileMode);
    // If fchmod fails, the new file has fewer permissions than the old one.
    if (exists) {
      static_cast<void>(
          ::fchmod(descriptor_, status.st_mode & kPermissionBits));
    }
    if (::fstat(descriptor_, &status) == 0) {
      detail::remove_ended_files(directory_, status.st_mtim);
    }
  }

  ~FileReplacement() {
    ::close(descriptor_);
    if (!is_in_place_) ::unlink(temporary_.c_str());
  }

  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  /// Appends bytes.
  void write(std::string_view content) {
    write_fully<FileError>(descriptor_, content, name_);
  }

  /// Flushes the bytes to the disk and renames the temporary file to the target;
  /// then flushes the directory, so that the new version survives a power
  /// failure.
  ///
  /// \param old_suffix  if it is not empty, the old file is not replaced: it gets
  ///                    its name with this suffix, when the new one is on the
  ///                    disk
  /// \throws as the constructor does. If the sentence says that the directory
  ///         cannot be synchronised, the new version is in place.
  void take_place(std::string_view old_suffix = {}) {
    if (sync_retrying(descriptor_) != 0) {
      detail::throw_write_error<FileError>(name_, "", errno);
    }
    if (!old_suffix.empty()) keep_old(old_suffix);
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
      detail::throw_write_error<FileError>(name_, "", errno);
    }
    is_in_place_ = true;
    detail::sync_directory<FileError>(directory_, name_);
  }

 private:
  /// \param mode  permission bits; the umask of the process removes some
  void create(mode_t mode) {
    constexpr int kMaxAttempts = 100;
    for (int i = 0; i < kMaxAttempts && descriptor_ < 0; ++i) {
      temporary_ = directory_ + '/' + detail::temporary_file_name();
      descriptor_ =
          detail::open_retrying(temporary_, O_WRONLY | O_CREAT | O_EXCL, mode);
      if (descriptor_ < 0 && errno != EEXIST) break;
    }
    if (descriptor_ < 0) {
      const int error_number = errno;
      detail::throw_write_error<FileError>(
          name_, "no file can be created in " + directory_ + ": ",
          error_number);
    }
  }

  void keep_old(std::string_view suffix) {
    const std::string kept = target_ + std::string(suffix);
    if (std::rename(target_.c_str(), kept.c_str()) != 0 && errno != ENOENT) {
      const int error_number = errno;
      detail::throw_write_error<FileError>(
          name_, "the old file cannot be renamed to " + kept + ": ",
          error_number);
    }
  }

  std::string name_;  ///< as messages show it
  std::string target_;
  std::string directory_;
  std::string temporary_;
  int descriptor_ = -1;
  bool is_in_place_ = false;
};

}  // namespace mlp
