// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"

/// Decompression of gzip files.
namespace mlp::datasets {

/// Returns true if the bytes start like a gzip file.
[[nodiscard]] inline bool is_gzip(std::string_view bytes) {
  return bytes.substr(0, 2) == "\x1F\x8B";
}

namespace detail {

/// Decompresses the members of a gzip file one after the other.
class GzipInflater {
 public:
  GzipInflater(std::string_view bytes, std::string source)
      : rest_(bytes), source_(std::move(source)) {
    // The additional 16 selects the gzip format in zlib.
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipInflater() { inflateEnd(&stream_); }
  GzipInflater(const GzipInflater&) = delete;
  GzipInflater& operator=(const GzipInflater&) = delete;

  /// Decompresses until the end or until max_bytes bytes.
  [[nodiscard]] std::string inflate_up_to(std::size_t max_bytes) {
    constexpr std::size_t kFirstBytes = std::size_t{1} << 16;
    std::string inflated;
    std::size_t filled = 0;
    while (filled < max_bytes && !is_at_end()) {
      if (filled == inflated.size()) {
        inflated.resize(std::min(max_bytes, std::max(kFirstBytes, 2 * filled)));
      }
      filled += step(inflated.data() + filled, inflated.size() - filled);
    }
    inflated.resize(filled);
    return inflated;
  }

  /// Returns true if all members are decompressed; zeros after them are
  /// padding.
  [[nodiscard]] bool is_at_end() const {
    return is_between_members_ && num_members_ != 0 &&
           rest_.find_first_not_of('\0') == std::string_view::npos;
  }

 private:
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
    if (status == Z_BUF_ERROR) {
      throw DataError(source_,
                      "the compressed data end too early; expected a whole "
                      "gzip file, got a part of one");
    }
    const char* const reason =
        stream_.msg != nullptr ? stream_.msg : "unknown format";
    throw DataError(source_,
                    std::string("the compressed data are damaged; expected a "
                                "gzip file, got: ") +
                        reason);
  }

  std::string_view rest_;
  std::string source_;
  z_stream stream_{};
  bool is_between_members_ = true;
  std::size_t num_members_ = 0;
};

}  // namespace detail

/// Decompresses the start of a gzip file.
///
/// \returns the first max_bytes bytes, or all bytes if there are fewer
/// \throws DataError if the data are damaged or end too early
[[nodiscard]] inline std::string gunzip_prefix(std::string_view bytes,
                                               std::size_t max_bytes,
                                               const std::string& source) {
  return detail::GzipInflater(bytes, source).inflate_up_to(max_bytes);
}

/// Decompresses a gzip file of one or more members.
///
/// \param max_bytes  maximum size of the contents; this also limits the memory
///                   allocated
/// \param source     the file name shown in messages
/// \pre max_bytes < SIZE_MAX
/// \throws DataError if the data are damaged, end too early or are larger than
///         max_bytes
/// \source RFC 1952
[[nodiscard]] inline std::string gunzip(std::string_view bytes,
                                        std::size_t max_bytes,
                                        const std::string& source) {
  detail::GzipInflater inflater(bytes, source);
  std::string inflated = inflater.inflate_up_to(max_bytes + 1);
  if (inflated.size() > max_bytes) {
    throw DataError(source,
                    "the compressed data hold too much; expected at "
                    "most " +
                        std::to_string(max_bytes) + " bytes");
  }
  return inflated;
}

}  // namespace mlp::datasets
