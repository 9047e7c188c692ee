// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "sha256_blocks.hpp"

namespace mlp {

/// Computes SHA-256 of bytes that come in parts.
///
/// \source NIST FIPS 180-4, sections 5 and 6.2
class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  /// Adds bytes; how they are cut into calls does not matter.
  void update(std::string_view bytes) {
    num_bytes_ += bytes.size();
    while (!bytes.empty()) {
      if (filled_ == 0 && bytes.size() >= kBlockBytes) {
        const std::size_t num_blocks = bytes.size() / kBlockBytes;
        detail::add_sha256_blocks(state_, bytes.data(), num_blocks);
        bytes.remove_prefix(num_blocks * kBlockBytes);
        continue;
      }
      const std::size_t taken = std::min(bytes.size(), kBlockBytes - filled_);
      std::memcpy(block_.data() + filled_, bytes.data(), taken);
      filled_ += taken;
      bytes.remove_prefix(taken);
      if (filled_ == kBlockBytes) {
        detail::add_sha256_blocks(state_, block_.data(), 1);
        filled_ = 0;
      }
    }
  }

  /// Returns the digest of all bytes added so far; more may follow.
  [[nodiscard]] Digest digest() const {
    Sha256 padded = *this;
    padded.pad();
    Digest digest{};
    for (std::size_t i = 0; i < digest.size(); ++i) {
      const std::size_t shift = 24 - 8 * (i % 4);
      digest[i] = static_cast<std::uint8_t>(padded.state_[i / 4] >> shift);
    }
    return digest;
  }

  /// The digest as 64 lower-case hexadecimal digits.
  [[nodiscard]] std::string hex() const {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : digest()) {
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
    return text;
  }

 private:
  static constexpr std::size_t kBlockBytes = detail::kSha256BlockBytes;

  /// Appends the bit 1, zeros, and the number of bits as a big-endian number.
  void pad() {
    const std::uint64_t num_bits = 8 * num_bytes_;
    const std::size_t num_zeros =
        (filled_ < 56 ? 56 : 56 + kBlockBytes) - filled_ - 1;
    std::string padding(1, '\x80');
    padding.append(num_zeros, '\0');
    for (int shift = 56; shift >= 0; shift -= 8) {
      padding += static_cast<char>((num_bits >> shift) & 0xFF);
    }
    update(padding);
  }

  detail::Sha256State state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<char, kBlockBytes> block_{};
  std::size_t filled_ = 0;  // bytes of block_ that wait for the rest
  std::uint64_t num_bytes_ = 0;
};

/// Computes SHA-256 of bytes that are all there.
///
/// \return 64 lower-case hexadecimal digits
[[nodiscard]] inline std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace mlp
