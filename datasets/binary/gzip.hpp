// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../../core/memory/available_memory.hpp"

/// Decompression of gzip files.
namespace mlp::datasets {

/// Tells how much memory this process can still get.
using MemoryProbe = std::function<AvailableMemory()>;

/// Asks the system.
[[nodiscard]] inline AvailableMemory probe_system_memory() {
  return available_memory();
}

/// Returns true if the bytes start like a gzip file.
[[nodiscard]] inline bool is_gzip(std::string_view bytes) {
  return bytes.substr(0, 2) == "\x1F\x8B";
}

namespace detail {

/// \throws DataError with the reason that zlib has
[[noreturn]] inline void throw_damaged(const std::string& source,
                                       const z_stream& stream) {
  const char* const reason =
      stream.msg != nullptr ? stream.msg : "unknown format";
  throw DataError(source,
                  std::string("the compressed data are damaged; expected a "
                              "gzip file, got: ") +
                      reason);
}

/// \throws DataError for a file without its end
[[noreturn]] inline void throw_cut_off(const std::string& source) {
  throw DataError(source,
                  "the compressed data end too early; expected a whole gzip "
                  "file, got a part of one");
}

/// \throws DataError for contents of more than max_bytes
[[noreturn]] inline void throw_too_much(const std::string& source,
                                        std::size_t max_bytes) {
  throw DataError(source,
                  "the compressed data hold too much; expected at most " +
                      std::to_string(max_bytes) + " bytes");
}

/// Decompresses the members of a gzip file one after the other.
class GzipInflater {
 public:
  GzipInflater(std::string_view bytes, std::string source, MemoryProbe memory)
      : num_bytes_(bytes.size()),
        rest_(bytes),
        source_(std::move(source)),
        memory_(std::move(memory)) {
    // The additional 16 selects the gzip format in zlib.
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipInflater() { inflateEnd(&stream_); }
  GzipInflater(const GzipInflater&) = delete;
  GzipInflater& operator=(const GzipInflater&) = delete;

  /// Decompresses the next bytes until the end or until max_bytes bytes.
  ///
  /// \param inflated    the bytes so far; the next ones are appended
  /// \param least_bytes the memory that is allocated first
  void append_up_to(std::size_t max_bytes, std::string& inflated,
                    std::size_t least_bytes = std::size_t{1} << 16) {
    std::size_t filled = inflated.size();
    while (filled < max_bytes && !is_at_end()) {
      if (filled == inflated.size()) {
        const std::size_t size =
            std::min(max_bytes, std::max(least_bytes, 2 * filled));
        require_memory(filled, size);
        inflated.resize(size);
      }
      filled += step(inflated.data() + filled, inflated.size() - filled);
    }
    inflated.resize(filled);
  }

  /// Decompresses until the end or until max_bytes bytes, and keeps none.
  /// \returns the number of bytes, at most max_bytes
  [[nodiscard]] std::size_t count_up_to(std::size_t max_bytes) {
    std::string part(std::size_t{1} << 18, '\0');
    std::size_t count = 0;
    while (count < max_bytes && !is_at_end()) {
      count += step(part.data(), std::min(part.size(), max_bytes - count));
    }
    return count;
  }

  /// Returns the number of compressed bytes that were read.
  [[nodiscard]] std::size_t num_bytes_read() const {
    return num_bytes_ - rest_.size();
  }

  /// Returns true if all members are decompressed; zeros after them are
  /// padding.
  [[nodiscard]] bool is_at_end() const {
    return is_between_members_ && num_members_ != 0 &&
           rest_.find_first_not_of('\0') == std::string_view::npos;
  }

 private:
  /// Throws if the contents do not fit into the memory that is left.
  ///
  /// \param filled  the bytes so far, which are moved
  /// \param size    of the memory for these and the next ones
  void require_memory(std::size_t filled, std::size_t size) const {
    const auto bytes = static_cast<double>(size);
    if (bytes < kLeastCheckedBytes) return;
    const AvailableMemory available = memory_();
    if (bytes <= available.bytes) return;
    throw ResourceError(source_, "the compressed data hold more than " +
                                     format_bytes(static_cast<double>(filled)) +
                                     ", and the next part needs " +
                                     format_bytes(bytes) + " of memory; " +
                                     format_bytes(available.bytes) +
                                     " are available (" + available.limit +
                                     "); use a smaller file, or a part of it");
  }

  /// Calls inflate() once.
  /// \returns the number of bytes written
  std::size_t step(char* to, std::size_t space) {
    if (is_between_members_ && num_members_ != 0) check(inflateReset(&stream_));
    is_between_members_ = false;
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    const auto offered = static_cast<uInt>(std::min(kMost, rest_.size()));
    const auto room = static_cast<uInt>(std::min(kMost, space));
    // zlib does not write through next_in.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    stream_.avail_in = offered;
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = room;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    rest_.remove_prefix(offered - stream_.avail_in);
    if (status == Z_STREAM_END) {
      is_between_members_ = true;
      ++num_members_;
    } else {
      check(status);
    }
    return room - stream_.avail_out;
  }

  void check(int status) const {
    if (status == Z_OK) return;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_BUF_ERROR) throw_cut_off(source_);
    throw_damaged(source_, stream_);
  }

  std::size_t num_bytes_;
  std::string_view rest_;
  std::string source_;
  MemoryProbe memory_;
  z_stream stream_{};
  bool is_between_members_ = true;
  std::size_t num_members_ = 0;
};

/// Reads a file or a pipe, and decompresses it if it is compressed.
class InflatedStream {
 public:
  /// \param descriptor  at the start of a file; the stream closes it
  InflatedStream(int descriptor, std::string source)
      : descriptor_(descriptor), source_(std::move(source)) {
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) {
      ::close(descriptor);
      throw std::bad_alloc();
    }
  }
  ~InflatedStream() {
    inflateEnd(&stream_);
    ::close(descriptor_);
  }
  InflatedStream(const InflatedStream&) = delete;
  InflatedStream& operator=(const InflatedStream&) = delete;

  /// Reads until a buffer is full, or to the end.
  ///
  /// \return the number of bytes
  /// \throws DataError if the data are damaged, end too early or cannot be read
  std::size_t read(char* to, std::size_t size) {
    std::size_t filled = 0;
    while (filled < size && fill()) {
      filled += is_gzip_ ? inflate_some(to + filled, size - filled)
                         : copy_some(to + filled, size - filled);
    }
    return filled;
  }

 private:
  /// Reads more of the file when nothing is left of it.
  ///
  /// \return false at the end of the data
  bool fill() {
    if (!rest_.empty()) return true;
    constexpr std::size_t kBytes = std::size_t{1} << 18;
    const bool is_first = input_.empty();
    input_.resize(kBytes);
    const std::size_t received =
        read_full<DataError>(descriptor_, source_, input_.data(), kBytes);
    rest_ = std::string_view(input_).substr(0, received);
    if (is_first) is_gzip_ = is_gzip(rest_);
    if (!rest_.empty()) return true;
    if (is_gzip_ && !is_between_members_) throw_cut_off(source_);
    return false;
  }

  std::size_t copy_some(char* to, std::size_t space) {
    const std::size_t size = std::min(space, rest_.size());
    std::copy_n(rest_.data(), size, to);
    rest_.remove_prefix(size);
    return size;
  }

  std::size_t inflate_some(char* to, std::size_t space) {
    if (is_between_members_) {
      // Zeros behind a member are padding.
      rest_.remove_prefix(
          std::min(rest_.find_first_not_of('\0'), rest_.size()));
      if (rest_.empty()) return 0;
      static_cast<void>(inflateReset(&stream_));
      is_between_members_ = false;
    }
    // zlib does not write through next_in.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    stream_.avail_in = static_cast<uInt>(rest_.size());
    const auto room = static_cast<uInt>(
        std::min<std::size_t>(space, std::numeric_limits<uInt>::max()));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = room;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    rest_.remove_prefix(rest_.size() - stream_.avail_in);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      is_between_members_ = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw_damaged(source_, stream_);
    }
    return room - stream_.avail_out;
  }

  int descriptor_;
  std::string source_;
  z_stream stream_{};
  std::string input_;
  std::string_view rest_;  // of input_
  bool is_gzip_ = false;
  bool is_between_members_ = false;
};

}  // namespace detail

/// Decompresses the start of a gzip file.
///
/// \returns the first max_bytes bytes, or all bytes if there are fewer
/// \throws DataError if the data are damaged or end too early
[[nodiscard]] inline std::string gunzip_prefix(std::string_view bytes,
                                               std::size_t max_bytes,
                                               const std::string& source) {
  std::string inflated;
  detail::GzipInflater(bytes, source, probe_system_memory)
      .append_up_to(max_bytes, inflated);
  return inflated;
}

/// Decompresses a gzip file of one or more members.
///
/// \param max_bytes  maximum size of the contents; this also limits the memory
///                   allocated
/// \param source     the file name shown in messages
/// \param memory     asked before memory for 64 MB or more is allocated
/// \pre max_bytes < SIZE_MAX
/// \throws DataError if the data are damaged, end too early or are larger than
///         max_bytes; ResourceError with both sizes if they do not fit into the
///         memory that is left
/// \source RFC 1952
[[nodiscard]] inline std::string gunzip(
    std::string_view bytes, std::size_t max_bytes, const std::string& source,
    const MemoryProbe& memory = probe_system_memory) {
  constexpr std::size_t kStartBytes = std::size_t{1} << 25;
  constexpr std::size_t kUnusualRatio = 256;
  detail::GzipInflater inflater(bytes, source, memory);
  std::string inflated;
  inflater.append_up_to(std::min(kStartBytes, max_bytes + 1), inflated);
  std::size_t size = inflated.size();
  if (!inflater.is_at_end() && size <= max_bytes) {
    // What may be a bomb is counted before memory for all of it is allocated.
    const bool is_unusual =
        inflated.size() / kUnusualRatio > inflater.num_bytes_read();
    size = !is_unusual ? 0
                       : detail::GzipInflater(bytes, source, memory)
                             .count_up_to(max_bytes + 1);
    if (size <= max_bytes) {
      // One more byte, so that the last step also reads the checksum.
      inflater.append_up_to(max_bytes + 1, inflated, size + 1);
      size = inflated.size();
    }
  }
  if (size > max_bytes) detail::throw_too_much(source, max_bytes);
  return inflated;
}

}  // namespace mlp::datasets
