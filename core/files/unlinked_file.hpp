// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "../error.hpp"
#include "../memory/available_memory.hpp"
#include "temporary_file.hpp"

/// A file on a disk that has no name, for data that do not fit into memory.
namespace mlp {

/// A file that only this process has. It is gone when the process ends, however that
/// happens.
///
/// Thread safety: several threads may read at the same time.
class UnlinkedFile {
 public:
  /// Makes an empty file in a folder.
  ///
  /// \throws ResourceError if the folder is not there, or cannot be written
  explicit UnlinkedFile(std::string folder) : folder_(std::move(folder)) {
    descriptor_ = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor_ < 0) make_and_unlink();
  }

  ~UnlinkedFile() { ::close(descriptor_); }
  UnlinkedFile(const UnlinkedFile&) = delete;
  UnlinkedFile& operator=(const UnlinkedFile&) = delete;

  /// Where the file is, for messages.
  [[nodiscard]] const std::string& folder() const { return folder_; }

  /// A path that opens the file while this object lives.
  [[nodiscard]] std::string path() const {
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

  /// Refuses a folder in memory, where a file saves none.
  ///
  /// \throws ResourceError for tmpfs and ramfs
  void require_disk() const {
    constexpr auto kRamfs = 0x858458f6;
    struct statfs system {};
    if (::fstatfs(descriptor_, &system) != 0) return;
    if (system.f_type != TMPFS_MAGIC && system.f_type != kRamfs) return;
    throw ResourceError(folder_,
                        "is in memory (tmpfs), where a file saves no memory; "
                        "expected a folder on a disk");
  }

  /// Refuses a size for which the disk has no room.
  ///
  /// \throws ResourceError saying how much is needed and free
  void require_room(double bytes) const {
    struct statvfs disk {};
    if (::fstatvfs(descriptor_, &disk) != 0) return;
    const double free =
        static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
    if (bytes <= free) return;
    throw ResourceError(folder_, "the disk has " + format_bytes(free) +
                                     " free; expected " + format_bytes(bytes) +
                                     " for the features");
  }

  /// Writes behind the last byte.
  ///
  /// \throws ResourceError if the disk is full, or the bytes cannot be written
  void append(const void* bytes, std::size_t size) {
    write(size_, bytes, size);
  }

  /// Writes bytes at an offset, also behind the last one.
  ///
  /// \throws as append()
  void write(std::uint64_t offset, const void* bytes, std::size_t size) {
    const char* from = static_cast<const char*>(bytes);
    while (size > 0) {
      const ssize_t written =
          ::pwrite(descriptor_, from, size, static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0)
        fail("a file cannot be written", written < 0 ? errno : EIO);
      from += written;
      size -= static_cast<std::size_t>(written);
      offset += static_cast<std::uint64_t>(written);
      size_ = std::max(size_, offset);
    }
  }

  /// Number of bytes.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Reads bytes that have been written.
  ///
  /// \throws ResourceError if the disk fails, or the file is shorter than it was
  void read(std::uint64_t offset, void* to, std::size_t size) const {
    char* at = static_cast<char*>(to);
    while (size > 0) {
      const ssize_t received =
          ::pread(descriptor_, at, size, static_cast<off_t>(offset));
      if (received < 0 && errno == EINTR) continue;
      if (received < 0) fail("a file cannot be read", errno);
      if (received == 0) {
        throw ResourceError(folder_,
                            "a file of this process became shorter; expected " +
                                std::to_string(size_) + " bytes, got " +
                                std::to_string(offset));
      }
      at += received;
      size -= static_cast<std::size_t>(received);
      offset += static_cast<std::uint64_t>(received);
    }
  }

  /// Tells the system that bytes will be read soon. It reads them meanwhile.
  void expect_read(std::uint64_t offset, std::size_t size) const {
    static_cast<void>(::posix_fadvise(descriptor_, static_cast<off_t>(offset),
                                      static_cast<off_t>(size),
                                      POSIX_FADV_WILLNEED));
  }

 private:
  [[noreturn]] void fail(const std::string& what, int error_number) const {
    throw ResourceError(folder_, what + ": " + std::strerror(error_number));
  }

  /// For file systems without O_TMPFILE. A process that is killed in between leaves an
  /// empty file, with the name of a temporary file of this project.
  void make_and_unlink() {
    const std::string path = folder_ + '/' + detail::temporary_file_name();
    descriptor_ =
        ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor_ < 0) fail("a file cannot be made there", errno);
    ::unlink(path.c_str());
  }

  std::string folder_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace mlp
