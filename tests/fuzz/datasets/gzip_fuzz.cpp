// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Decompresses any bytes, and loads compressed data files of every format: they
// give what the same file gives that is not compressed.

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../../../datasets/binary/gzip.hpp"
#include "../../../datasets/binary/idx.hpp"
#include "../../../datasets/dataset.hpp"
#include "../../../datasets/load/arrow_format.hpp"
#include "../../../datasets/load/load.hpp"
#include "../outcome.hpp"
#include "equal_data.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                        std::size_t max_size);

namespace mlp::fuzz {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 21;

/// A file in memory, which has a path.
class MemoryFile {
 public:
  MemoryFile()
      : descriptor_(::memfd_create("data", 0)),
        path_("/proc/self/fd/" + std::to_string(descriptor_)) {
    require(descriptor_ >= 0, "a file in memory");
  }

  void write(std::string_view bytes) const {
    const auto size = static_cast<off_t>(bytes.size());
    const bool is_written =
        ::ftruncate(descriptor_, size) == 0 &&
        ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == size;
    require(is_written, "a file in memory that can be written");
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

/// Compresses text into a block that only copies it, as level 0 of gzip does.
std::string stored(std::string_view text) {
  constexpr std::string_view kHeader("\x1F\x8B\x08\0\0\0\0\0\0\x03\x01", 11);
  std::string bytes(kHeader);
  const auto append = [&](std::uint64_t number, int num_bytes) {
    for (; num_bytes > 0; --num_bytes, number >>= 8) {
      bytes += static_cast<char>(number & 255);
    }
  };
  append(text.size(), 2);
  append(~std::uint64_t{text.size()}, 2);
  bytes += text;
  append(::crc32(0, reinterpret_cast<const Bytef*>(text.data()),
                 static_cast<uInt>(text.size())),
         4);
  append(text.size(), 4);
  return bytes;
}

Outcome<datasets::Dataset> load(const MemoryFile& file,
                                std::string_view bytes) {
  file.write(bytes);
  return outcome_of([&] { return datasets::load(file.path()).dataset; });
}

bool has_large_index(std::string_view text) {
  constexpr std::size_t kMostDigits = 3;
  std::size_t digits = 0;
  for (const char letter : text) {
    if (letter == ':' && digits > kMostDigits) return true;
    digits = letter >= '0' && letter <= '9' ? digits + 1 : 0;
  }
  return false;
}

}  // namespace

}  // namespace mlp::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t max_size,
                                               unsigned seed) {
  using namespace mlp;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto text = fuzz::outcome_of(
      [&] { return datasets::gunzip(bytes, max_size, "data.gz"); });
  constexpr std::size_t kFrameBytes = 32;
  if (seed % 4 == 0 || !text.value ||
      text.value->size() + kFrameBytes > max_size) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  const std::size_t text_size = text.value->size();
  text.value->resize(max_size - kFrameBytes);
  text.value->resize(
      LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.value->data()),
                       text_size, text.value->size()));
  const std::string again = fuzz::stored(*text.value);
  std::memcpy(data, again.data(), again.size());
  return again.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace mlp;
  static const fuzz::MemoryFile file;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto text = fuzz::outcome_of(
      [&] { return datasets::gunzip(bytes, fuzz::kMostBytes, "data.gz"); });
  if (!text.value) {
    static_cast<void>(fuzz::load(file, bytes));
    return 0;
  }
  constexpr std::size_t kStart = 9;
  fuzz::require(datasets::gunzip_prefix(bytes, kStart, "data.gz") ==
                    text.value->substr(0, kStart),
                "the same start");
  // Only the outer file is decompressed.
  if (datasets::is_gzip(*text.value) || fuzz::has_large_index(*text.value)) {
    return 0;
  }
  // A plugin reads Parquet and Arrow files, and only by their path.
  if (datasets::detail::find_arrow_format(*text.value) != nullptr) return 0;
  const auto plain = fuzz::load(file, *text.value);
  const auto compressed = fuzz::load(file, bytes);
  // Of an idx file, no more is decompressed than its header says.
  if (datasets::is_idx(*text.value) && !plain.value && !compressed.value) {
    return 0;
  }
  fuzz::require_equal(plain, compressed);
  return 0;
}
