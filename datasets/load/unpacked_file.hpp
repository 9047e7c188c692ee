// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/files/unlinked_file.hpp"
#include "../binary/gzip.hpp"
#include "../reading/text_encoding.hpp"

/// Compressed files, UTF-16 and pipes whose contents do not fit into memory.
namespace mlp::datasets::detail {

/// A file whose contents are unpacked.
struct PackedSource {
  std::string name;           ///< for messages
  std::size_t max_bytes = 0;  ///< of the contents, before UTF-16 is decoded
};

/// A file without a name that has the contents of another one, decompressed and in UTF-8.
class UnpackedFile {
 public:
  /// \param stream  at its start
  /// \param folder  on a disk
  /// \throws DataError as InflatedStream and utf8_of_utf16(), and for contents that are
  ///         too large; ResourceError if the disk is full
  UnpackedFile(InflatedStream& stream, const PackedSource& packed,
               const std::string& folder)
      : file_(folder) {
    const std::string& source = packed.name;
    file_.require_disk();
    std::string block(kBlockBytes, '\0');
    std::string rest;  // of the last block: half a character
    std::uint64_t num_read = 0;
    auto encoding = TextEncoding::kUtf8;
    while (true) {
      block.resize(kBlockBytes);
      block.resize(stream.read(block.data(), block.size()));
      if (num_read == 0 && !block.starts_with(std::string_view("\0\0", 2))) {
        encoding = find_encoding(block);
      }
      const bool is_last = block.size() < kBlockBytes;
      if (encoding == TextEncoding::kUtf8) {
        file_.append(block.data(), block.size());
      } else {
        append_utf16(rest + block, {encoding, num_read - rest.size(), is_last},
                     source, rest);
      }
      num_read += block.size();
      if (num_read > packed.max_bytes) {
        throw_too_much(source, packed.max_bytes);
      }
      if (is_last) return;
    }
  }

  /// A path that opens the file while this object lives.
  [[nodiscard]] std::string path() const { return file_.path(); }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

  /// Where a text is in a file of UTF-16.
  struct Place {
    TextEncoding encoding;
    std::uint64_t first_byte;
    bool is_last;
  };

  /// \param[out] rest  what belongs to a character of the next block
  void append_utf16(const std::string& bytes, const Place& place,
                    const std::string& source, std::string& rest) {
    const bool is_little = place.encoding == TextEncoding::kUtf16Little;
    std::size_t size = bytes.size();
    if (!place.is_last) {
      size -= size % 2;
      const std::size_t high = size - (is_little ? 1 : 2);
      // The first half of a pair waits for the second.
      if ((static_cast<unsigned char>(bytes[high]) & 0xFC) == 0xD8) size -= 2;
    }
    rest = bytes.substr(size);
    const std::string text =
        utf8_of_utf16(std::string_view(bytes).substr(0, size), is_little,
                      source, place.first_byte);
    file_.append(text.data(), text.size());
  }

  UnlinkedFile file_;
};

}  // namespace mlp::datasets::detail
