// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace mlp {

/// Computes SHA-256 of bytes that come in parts.
///
/// \source NIST FIPS 180-4, sections 4.1.2, 4.2.2, 5 and 6.2
class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  /// Adds bytes; how they are cut into calls does not matter.
  void update(std::string_view bytes) {
    num_bytes_ += bytes.size();
    while (!bytes.empty()) {
      if (filled_ == 0 && bytes.size() >= kBlockBytes) {
        compress(bytes.data());
        bytes.remove_prefix(kBlockBytes);
        continue;
      }
      const std::size_t taken = std::min(bytes.size(), kBlockBytes - filled_);
      std::memcpy(block_.data() + filled_, bytes.data(), taken);
      filled_ += taken;
      bytes.remove_prefix(taken);
      if (filled_ == kBlockBytes) {
        compress(block_.data());
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
  static constexpr std::size_t kBlockBytes = 64;

  /// The first 32 bits of the fractional parts of the cube roots of the first
  /// 64 primes.
  static constexpr std::array<std::uint32_t, 64> kConstants{
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
      0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
      0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
      0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
      0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
      0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
      0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
      0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
      0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

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

  [[nodiscard]] static std::array<std::uint32_t, 64> expand(const char* block) {
    std::array<std::uint32_t, 64> schedule{};
    for (std::size_t t = 0; t < 16; ++t) {
      for (std::size_t i = 0; i < 4; ++i) {
        const auto byte = static_cast<unsigned char>(block[4 * t + i]);
        schedule[t] = schedule[t] << 8 | byte;
      }
    }
    for (std::size_t t = 16; t < 64; ++t) {
      const std::uint32_t x = schedule[t - 15];
      const std::uint32_t y = schedule[t - 2];
      const std::uint32_t sigma0 = std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3;
      const std::uint32_t sigma1 =
          std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10;
      schedule[t] = schedule[t - 16] + sigma0 + schedule[t - 7] + sigma1;
    }
    return schedule;
  }

  /// \param block  [kBlockBytes]
  void compress(const char* block) {
    const std::array<std::uint32_t, 64> schedule = expand(block);
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t sum1 =
          std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const std::uint32_t choice = (e & f) ^ (~e & g);
      const std::uint32_t first =
          h + sum1 + choice + kConstants[t] + schedule[t];
      const std::uint32_t sum0 =
          std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
      h = g;
      g = f;
      f = e;
      e = d + first;
      d = c;
      c = b;
      b = a;
      a = first + sum0 + majority;
    }
    const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state_[i] += added[i];
  }

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                      0xa54ff53a, 0x510e527f, 0x9b05688c,
                                      0x1f83d9ab, 0x5be0cd19};
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
