// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks of three numbers as 32 base64 digits and back, without padding.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace mlp::detail {

inline constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Three numbers are 24 bytes or 32 digits, without padding.
inline constexpr std::size_t kBase64Numbers = 3;
inline constexpr std::size_t kBase64NumbersDigits = 32;

/// The bits of three numbers, in the order of their bytes: the first bit of the
/// first byte is the highest of the first word.
using Base64Words = std::array<std::uint64_t, kBase64Numbers>;

/// Eight groups of 24 bits: three bytes or four digits each.
using Base64Groups = std::array<std::uint32_t, 8>;

/// Bit 31 marks a character that is not a digit.
inline constexpr std::uint32_t kNoBase64Digit = std::uint32_t{1} << 31;

/// The bits that a character adds to a group, by its place in the group.
using Base64Values = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr Base64Values make_base64_values() {
  Base64Values values{};
  for (std::size_t place = 0; place < 4; ++place) {
    for (std::uint32_t& value : values[place]) value = kNoBase64Digit;
    for (std::size_t i = 0; i < kBase64Digits.size(); ++i) {
      const auto digit = static_cast<unsigned char>(kBase64Digits[i]);
      values[place][digit] = static_cast<std::uint32_t>(i << (18 - 6 * place));
    }
  }
  return values;
}

inline constexpr Base64Values kBase64Values = make_base64_values();

/// The same number with its bytes in the reverse order.
inline std::uint64_t reverse_bytes(std::uint64_t number) {
  return __builtin_bswap64(number);
}

/// \param digits  [kBase64NumbersDigits]
/// \return false if one is not a digit
inline bool decode_base64_digits(const char* digits, Base64Words& words) {
  Base64Groups g{};
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < g.size(); ++i) {
    for (std::size_t place = 0; place < 4; ++place) {
      const auto digit = static_cast<unsigned char>(digits[4 * i + place]);
      g[i] |= kBase64Values[place][digit];
    }
    all |= g[i];
  }
  const auto wide = [&](std::size_t i) { return std::uint64_t{g[i]}; };
  words[0] = wide(0) << 40 | wide(1) << 16 | wide(2) >> 8;
  words[1] = wide(2) << 56 | wide(3) << 32 | wide(4) << 8 | wide(5) >> 16;
  words[2] = wide(5) << 48 | wide(6) << 24 | wide(7);
  return (all & kNoBase64Digit) == 0;
}

/// \param digits  [kBase64NumbersDigits]
inline void encode_base64_digits(const Base64Words& words, char* digits) {
  const auto [a, b, c] = words;
  const std::array<std::uint64_t, 8> groups{a >> 40, a >> 16, a << 8 | b >> 56,
                                            b >> 32, b >> 8,  b << 16 | c >> 48,
                                            c >> 24, c};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t place = 0; place < 4; ++place) {
      digits[4 * i + place] = kBase64Digits[groups[i] >> (18 - 6 * place) & 63];
    }
  }
}

/// Decodes blocks on any processor. The specification of the others.
///
/// \param digits   [num_blocks * kBase64NumbersDigits]
/// \param numbers  [num_blocks * kBase64Numbers]
/// \return false if a character is not a digit; the numbers are then arbitrary
inline bool decode_base64_plainly(const char* digits, std::size_t num_blocks,
                                  double* numbers) {
  Base64Words words{};
  for (std::size_t i = 0; i < num_blocks; ++i) {
    if (!decode_base64_digits(digits, words)) return false;
    for (const std::uint64_t word : words) {
      *numbers++ = std::bit_cast<double>(reverse_bytes(word));
    }
    digits += kBase64NumbersDigits;
  }
  return true;
}

/// Encodes blocks on any processor. The specification of the others.
///
/// \param numbers  [num_blocks * kBase64Numbers]
/// \param digits   [num_blocks * kBase64NumbersDigits]
inline void encode_base64_plainly(const double* numbers, std::size_t num_blocks,
                                  char* digits) {
  Base64Words words{};
  for (std::size_t i = 0; i < num_blocks; ++i) {
    for (std::uint64_t& word : words) {
      word = reverse_bytes(std::bit_cast<std::uint64_t>(*numbers++));
    }
    encode_base64_digits(words, digits);
    digits += kBase64NumbersDigits;
  }
}

#ifdef __x86_64__

/// As decode_base64_plainly(), by AVX2.
///
/// \pre    the processor has AVX2
/// \source Muła and Lemire 2018, Faster Base64 Encoding and Decoding Using AVX2
///         Instructions, section 3
__attribute__((target("avx2"))) inline bool decode_base64_avx2(
    const char* digits, std::size_t num_blocks, double* numbers) {
  const __m256i low_kinds = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
                    0x13, 0x1A, 0x1B, 0x1B, 0x1B, 0x1A));
  const __m256i high_kinds = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10,
                    0x10, 0x10, 0x10, 0x10, 0x10, 0x10));
  const __m256i offsets = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i order = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
  const __m256i words = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7);
  const __m256i nibble = _mm256_set1_epi8(0x0F);
  __m256i wrong = _mm256_setzero_si256();
  for (std::size_t i = 0; i < num_blocks; ++i) {
    const __m256i text = _mm256_loadu_si256(
        reinterpret_cast<const __m256i*>(digits + i * kBase64NumbersDigits));
    const __m256i high = _mm256_and_si256(_mm256_srli_epi32(text, 4), nibble);
    const __m256i low = _mm256_and_si256(text, nibble);
    // Only a character that is no digit has a kind in common.
    wrong = _mm256_or_si256(
        wrong, _mm256_and_si256(_mm256_shuffle_epi8(low_kinds, low),
                                _mm256_shuffle_epi8(high_kinds, high)));
    const __m256i is_slash = _mm256_cmpeq_epi8(text, _mm256_set1_epi8('/'));
    const __m256i values = _mm256_add_epi8(
        text, _mm256_shuffle_epi8(offsets, _mm256_add_epi8(is_slash, high)));
    const __m256i pairs =
        _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
    const __m256i groups =
        _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
    const __m256i bytes =
        _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(groups, order), words);
    char* const to = reinterpret_cast<char*>(numbers + i * kBase64Numbers);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm256_castsi256_si128(bytes));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to + 16),
                     _mm256_extracti128_si256(bytes, 1));
  }
  return _mm256_testz_si256(wrong, wrong) != 0;
}

/// As encode_base64_plainly(), by AVX2.
///
/// \pre    the processor has AVX2
/// \source Muła and Lemire 2018, section 3
__attribute__((target("avx2"))) inline void encode_base64_avx2(
    const double* numbers, std::size_t num_blocks, char* digits) {
  const __m256i order =
      _mm256_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10, 5, 4,
                       6, 5, 8, 7, 9, 8, 11, 10, 12, 11, 14, 13, 15, 14);
  const __m256i offsets = _mm256_broadcastsi128_si256(_mm_setr_epi8(
      'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
      '0' - 52, '0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63, 'A', 0, 0));
  for (std::size_t i = 0; i < num_blocks; ++i) {
    const char* const from =
        reinterpret_cast<const char*>(numbers + i * kBase64Numbers);
    // Bytes 0 to 15, and 8 to 23: the second half starts at byte 12.
    const __m256i bytes = _mm256_set_m128i(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 8)),
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    const __m256i groups = _mm256_shuffle_epi8(bytes, order);
    const __m256i outer = _mm256_mulhi_epu16(
        _mm256_and_si256(groups, _mm256_set1_epi32(0x0FC0FC00)),
        _mm256_set1_epi32(0x04000040));
    const __m256i inner = _mm256_mullo_epi16(
        _mm256_and_si256(groups, _mm256_set1_epi32(0x003F03F0)),
        _mm256_set1_epi32(0x01000010));
    const __m256i values = _mm256_or_si256(outer, inner);
    // 0 for lower case, 1 to 12 for digits and signs, 13 for upper case.
    const __m256i is_upper = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), values);
    const __m256i kinds =
        _mm256_or_si256(_mm256_subs_epu8(values, _mm256_set1_epi8(51)),
                        _mm256_and_si256(is_upper, _mm256_set1_epi8(13)));
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(digits + i * kBase64NumbersDigits),
        _mm256_add_epi8(values, _mm256_shuffle_epi8(offsets, kinds)));
  }
}

#endif  // __x86_64__

/// True where decode_base64_avx2() and encode_base64_avx2() run.
inline bool has_base64_instructions() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

/// As decode_base64_plainly(), by the fastest way that the processor has.
inline bool decode_base64_blocks(const char* digits, std::size_t num_blocks,
                                 double* numbers) {
#ifdef __x86_64__
  if (has_base64_instructions()) {
    return decode_base64_avx2(digits, num_blocks, numbers);
  }
#endif
  return decode_base64_plainly(digits, num_blocks, numbers);
}

/// As encode_base64_plainly(), by the fastest way that the processor has.
inline void encode_base64_blocks(const double* numbers, std::size_t num_blocks,
                                 char* digits) {
#ifdef __x86_64__
  if (has_base64_instructions()) {
    return encode_base64_avx2(numbers, num_blocks, digits);
  }
#endif
  encode_base64_plainly(numbers, num_blocks, digits);
}

}  // namespace mlp::detail
