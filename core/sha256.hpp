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

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace mlp {

namespace detail {

inline constexpr std::size_t kSha256BlockBytes = 64;

/// The hash value between two blocks: a to h.
using Sha256State = std::array<std::uint32_t, 8>;

/// The first 32 bits of the fractional parts of the cube roots of the first
/// 64 primes.
inline constexpr std::array<std::uint32_t, 64> kSha256Constants{
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

/// Makes the message schedule of one block.
inline std::array<std::uint32_t, 64> expand_sha256_block(const char* block) {
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
    const std::uint32_t sigma1 = std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10;
    schedule[t] = schedule[t - 16] + sigma0 + schedule[t - 7] + sigma1;
  }
  return schedule;
}

/// Adds one block to a hash value.
inline void add_sha256_block(Sha256State& state, const char* block) {
  const std::array<std::uint32_t, 64> schedule = expand_sha256_block(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t sum1 =
        std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t choice = (e & f) ^ (~e & g);
    const std::uint32_t first =
        h + sum1 + choice + kSha256Constants[t] + schedule[t];
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
  const Sha256State added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += added[i];
}

/// Adds blocks to a hash value on any processor. The specification of the
/// others.
///
/// \param blocks  [num_blocks * kSha256BlockBytes]
/// \source NIST FIPS 180-4, sections 4.1.2, 4.2.2 and 6.2.2
inline void add_sha256_blocks_plainly(Sha256State& state, const char* blocks,
                                      std::size_t num_blocks) {
  for (std::size_t i = 0; i < num_blocks; ++i) {
    add_sha256_block(state, blocks + i * kSha256BlockBytes);
  }
}

#ifdef __x86_64__

/// True where the processor has the SHA extensions.
///
/// \source Intel 64 and IA-32 manual, volume 2, CPUID, leaves 1 and 7
inline bool has_sha256_instructions() {
  constexpr unsigned kSse41 = 1u << 19;  // of leaf 1, ECX
  constexpr unsigned kSha = 1u << 29;    // of leaf 7, EBX
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kSse41) == 0) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kSha) != 0;
}

/// Does rounds 4 * group to 4 * group + 3.
///
/// \param abef, cdgh  the working variables, the first named the highest
/// \param words       the schedule of these rounds, the first the lowest
__attribute__((target("sha,sse4.1"))) inline void do_four_sha256_rounds(
    __m128i& abef, __m128i& cdgh, __m128i words, std::size_t group) {
  const __m128i constants = _mm_loadu_si128(
      reinterpret_cast<const __m128i*>(&kSha256Constants[4 * group]));
  const __m128i sum = _mm_add_epi32(words, constants);
  cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
  abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
}

/// Takes four words of the schedule from the sixteen before them, w0 the oldest.
__attribute__((target("sha,sse4.1"))) inline __m128i next_sha256_words(
    __m128i w0, __m128i w1, __m128i w2, __m128i w3) {
  const __m128i seven_back = _mm_alignr_epi8(w3, w2, 4);
  return _mm_sha256msg2_epu32(
      _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), seven_back), w3);
}

/// Reads four big-endian words.
__attribute__((target("sha,sse4.1"))) inline __m128i load_sha256_words(
    const char* bytes) {
  const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  return _mm_shuffle_epi8(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)), order);
}

/// Adds one block to the working variables' form of a hash value.
__attribute__((target("sha,sse4.1"))) inline void add_sha256_block_x86(
    __m128i& abef, __m128i& cdgh, const char* block) {
  const __m128i old_abef = abef;
  const __m128i old_cdgh = cdgh;
  __m128i w0 = load_sha256_words(block);
  __m128i w1 = load_sha256_words(block + 16);
  __m128i w2 = load_sha256_words(block + 32);
  __m128i w3 = load_sha256_words(block + 48);
  do_four_sha256_rounds(abef, cdgh, w0, 0);
  do_four_sha256_rounds(abef, cdgh, w1, 1);
  do_four_sha256_rounds(abef, cdgh, w2, 2);
  do_four_sha256_rounds(abef, cdgh, w3, 3);
  for (std::size_t group = 4; group < 16; group += 4) {
    w0 = next_sha256_words(w0, w1, w2, w3);
    do_four_sha256_rounds(abef, cdgh, w0, group);
    w1 = next_sha256_words(w1, w2, w3, w0);
    do_four_sha256_rounds(abef, cdgh, w1, group + 1);
    w2 = next_sha256_words(w2, w3, w0, w1);
    do_four_sha256_rounds(abef, cdgh, w2, group + 2);
    w3 = next_sha256_words(w3, w0, w1, w2);
    do_four_sha256_rounds(abef, cdgh, w3, group + 3);
  }
  abef = _mm_add_epi32(abef, old_abef);
  cdgh = _mm_add_epi32(cdgh, old_cdgh);
}

/// As add_sha256_blocks_plainly(), by the processor's SHA extensions.
///
/// \pre    has_sha256_instructions()
/// \source Gulley et al., Intel SHA Extensions, 2013
__attribute__((target("sha,sse4.1"))) inline void add_sha256_blocks_x86(
    Sha256State& state, const char* blocks, std::size_t num_blocks) {
  auto* const halves = reinterpret_cast<__m128i*>(state.data());
  const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(halves), 0xB1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(halves + 1), 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, cdab, 0xF0);
  for (std::size_t i = 0; i < num_blocks; ++i) {
    add_sha256_block_x86(abef, cdgh, blocks + i * kSha256BlockBytes);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(halves, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(halves + 1, _mm_alignr_epi8(dchg, feba, 8));
}

#endif  // __x86_64__

/// Adds blocks to a hash value by the fastest way that the processor has.
///
/// \param blocks  [num_blocks * kSha256BlockBytes]
inline void add_sha256_blocks(Sha256State& state, const char* blocks,
                              std::size_t num_blocks) {
#ifdef __x86_64__
  static const bool has_instructions = has_sha256_instructions();
  if (has_instructions) return add_sha256_blocks_x86(state, blocks, num_blocks);
#endif
  add_sha256_blocks_plainly(state, blocks, num_blocks);
}

}  // namespace detail

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

/// Computes HMAC-SHA-256 of a message with a key of any length.
///
/// \source Krawczyk, Bellare and Canetti 1997, RFC 2104, section 2
[[nodiscard]] inline Sha256::Digest hmac_sha256(std::string_view key,
                                                std::string_view message) {
  using Block = std::array<char, detail::kSha256BlockBytes>;
  const auto copy = [](const auto& bytes, Block& to) {
    std::transform(bytes.begin(), bytes.end(), to.begin(),
                   [](auto byte) { return static_cast<char>(byte); });
  };
  Block padded_key{};
  if (key.size() > padded_key.size()) {
    Sha256 hash;
    hash.update(key);
    copy(hash.digest(), padded_key);
  } else {
    copy(key, padded_key);
  }
  const auto digest_of = [&padded_key](int mask, std::string_view text) {
    Block masked = padded_key;
    for (char& byte : masked) byte = static_cast<char>(byte ^ mask);
    Sha256 hash;
    hash.update({masked.data(), masked.size()});
    hash.update(text);
    return hash.digest();
  };
  constexpr int kInnerMask = 0x36;
  constexpr int kOuterMask = 0x5C;
  const Sha256::Digest inner = digest_of(kInnerMask, message);
  return digest_of(kOuterMask,
                   {reinterpret_cast<const char*>(inner.data()), inner.size()});
}

/// Compares two digests in a time that does not depend on where they differ, so
/// that nobody can guess a proof byte by byte.
[[nodiscard]] inline bool is_same_digest(const Sha256::Digest& a,
                                         const Sha256::Digest& b) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(a[i] ^ b[i]);
  }
  return difference == 0;
}

/// Computes SHA-256 of bytes that are all there.
///
/// \return 64 lower-case hexadecimal digits
[[nodiscard]] inline std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace mlp
