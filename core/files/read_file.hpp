// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../error.hpp"
#include "../memory/available_memory.hpp"
#include "../memory/huge_pages.hpp"

/// Reading a whole file, pipe or open descriptor into a string.
namespace mlp {

/// Throws the error of a failed system call.
///
/// \throws ResourceError if the machine ran out of a resource; FileError if the
///         file is the cause
template <class FileError>
[[noreturn]] void throw_file_error(const std::string& name, const char* verb,
                                   int error_number) {
  const std::string sentence =
      std::string("cannot be ") + verb + ": " + std::strerror(error_number);
  switch (error_number) {
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      throw ResourceError(name, sentence);
    default:
      throw FileError(name, sentence);
  }
}

/// Closes a file descriptor in its destructor.
class DescriptorGuard {
 public:
  explicit DescriptorGuard(int descriptor) : descriptor_(descriptor) {}
  ~DescriptorGuard() { ::close(descriptor_); }
  DescriptorGuard(const DescriptorGuard&) = delete;
  DescriptorGuard& operator=(const DescriptorGuard&) = delete;

 private:
  int descriptor_;
};

namespace detail {

/// Returns the size of a regular file in bytes, and 0 for a pipe.
inline std::size_t expected_bytes(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size < 0 ||
      static_cast<std::uintmax_t>(status.st_size) >= SIZE_MAX) {
    return 0;
  }
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace detail

/// Calls read(2) and retries if a signal interrupts it.
inline ssize_t read_some(int descriptor, char* to, std::size_t bytes) {
  ssize_t received = 0;
  do {
    received = ::read(descriptor, to, bytes);
  } while (received < 0 && errno == EINTR);
  return received;
}

/// Reads until a buffer is full, or to the end of a file or a pipe.
///
/// \param name  the file name shown in messages
/// \return the number of bytes; fewer than the buffer takes at the end only
/// \throws FileError(name, sentence) if reading fails; ResourceError if the machine runs
///         out of a resource
template <class FileError>
std::size_t read_full(int descriptor, const std::string& name, char* to,
                      std::size_t bytes) {
  std::size_t filled = 0;
  while (filled < bytes) {
    const ssize_t received = read_some(descriptor, to + filled, bytes - filled);
    if (received < 0) throw_file_error<FileError>(name, "read", errno);
    if (received == 0) break;
    filled += static_cast<std::size_t>(received);
  }
  return filled;
}

/// Looks at the first bytes of a file and throws if the rest need not be read.
using StartCheck = std::function<void(std::string_view)>;

/// Reads an open descriptor from its position to the end.
///
/// The descriptor stays open. The size that the system reports is only a hint:
/// pipes report none, and a file may grow or shrink during the read.
/// \param name   the file name shown in messages
/// \param check  called once if there are bytes; may be empty
/// \throws FileError(name, sentence) if reading fails; ResourceError if memory
///         runs out
template <class FileError>
[[nodiscard]] std::string read_descriptor(int descriptor,
                                          const std::string& name,
                                          const StartCheck& check = {}) try {
  constexpr std::size_t kLeastBytes = 1u << 16;
  // Small enough that the bytes zeroed by resize() are still in the cache when
  // read() overwrites them.
  constexpr std::size_t kPieceBytes = 1u << 18;
  std::string bytes;
  const auto reserve = [&](std::size_t size) {
    // A pipe or a device may have no end.
    require_memory_for(name, static_cast<double>(size));
    bytes.reserve(size);
    advise_huge_pages(bytes.data(), bytes.capacity());
  };
  // One extra byte lets the last read() detect the end of the file.
  reserve(std::max(kLeastBytes, detail::expected_bytes(descriptor) + 1));
  std::size_t filled = 0;
  while (true) {
    if (filled == bytes.capacity()) reserve(2 * filled);
    if (filled == bytes.size()) {
      bytes.resize(std::min(bytes.capacity(), filled + kPieceBytes));
    }
    const ssize_t received =
        read_some(descriptor, bytes.data() + filled, bytes.size() - filled);
    if (received < 0) throw_file_error<FileError>(name, "read", errno);
    if (received == 0) break;
    const bool is_start = filled == 0;
    filled += static_cast<std::size_t>(received);
    if (is_start && check) check(std::string_view(bytes).substr(0, filled));
  }
  bytes.resize(filled);
  return bytes;
} catch (const std::bad_alloc&) {
  throw ResourceError(name, "is too large for the memory that is left");
} catch (const std::length_error&) {
  throw ResourceError(name, "is too large for the memory that is left");
}

/// Reads a whole file, or a pipe until it ends.
///
/// The file is copied and not memory-mapped, because another process may
/// shorten it at any time.
/// \param check  called once with the first bytes, if there are any; may be empty
/// \throws FileError(path, sentence) if the file is missing, a directory or
///         unreadable; ResourceError if memory or file handles run out
template <class FileError>
[[nodiscard]] std::string read_file(const std::string& path,
                                    const StartCheck& check = {}) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw_file_error<FileError>(path, "opened", errno);
  }
  const DescriptorGuard guard(descriptor);
  return read_descriptor<FileError>(descriptor, path, check);
}

}  // namespace mlp
