// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decimal numbers of up to 19 digits become float64 faster than by
// std::from_chars, with the same bits.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace mlp {

namespace detail {

/// The most decimals behind the point that round_decimal() takes: 5^27 is the
/// last power below 2^63.
inline constexpr unsigned kMostRoundedDecimals = 27;

/// The highest 128 bits of a number, the highest bit set.
struct HighBits {
  std::uint64_t high;
  std::uint64_t low;
};

/// Divides a power of two by 5^n, and rounds up.
constexpr HighBits invert_power_of_5(unsigned n) {
  std::uint64_t power = 1;
  for (unsigned i = 0; i < n; ++i) power *= 5;
  HighBits quotient{0, 0};
  // One bit at a time, until the highest bit is set.
  std::uint64_t rest = 1;
  while (quotient.high >> 63 == 0) {
    rest <<= 1;
    quotient.high = quotient.high << 1 | quotient.low >> 63;
    quotient.low <<= 1;
    if (rest >= power) {
      rest -= power;
      quotient.low |= 1;
    }
  }
  quotient.low += 1;
  if (quotient.low == 0) quotient.high += 1;
  return quotient;
}

constexpr std::array<HighBits, kMostRoundedDecimals + 1>
make_inverse_powers_of_5() {
  std::array<HighBits, kMostRoundedDecimals + 1> powers{};
  for (unsigned n = 1; n <= kMostRoundedDecimals; ++n) {
    powers[n] = invert_power_of_5(n);
  }
  return powers;
}

inline constexpr auto kInversePowersOf5 = make_inverse_powers_of_5();

/// Multiplies two numbers of 64 bits.
inline HighBits multiply_wide(std::uint64_t a, std::uint64_t b) {
#ifdef __SIZEOF_INT128__
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(product >> 64),
          static_cast<std::uint64_t>(product)};
#else
  constexpr std::uint64_t kLow = 0xFFFFFFFF;
  const std::uint64_t low = (a & kLow) * (b & kLow);
  const std::uint64_t left = (a >> 32) * (b & kLow) + (low >> 32);
  const std::uint64_t right = (a & kLow) * (b >> 32) + (left & kLow);
  return {(a >> 32) * (b >> 32) + (left >> 32) + (right >> 32), a * b};
#endif
}

}  // namespace detail

/// Returns digits / 10^num_decimals, exactly rounded.
///
/// \pre    1 <= num_decimals <= detail::kMostRoundedDecimals. The product of 128 bits
///         then always has enough of them to round.
/// \source Lemire 2021, Number Parsing at a Gigabyte per Second, algorithm 1;
///         Mushtak and Lemire 2023, Fast Number Parsing Without Fallback
inline double round_decimal(std::uint64_t digits, unsigned num_decimals) {
  constexpr int kMantissaBits = 52;
  constexpr int kBias = 1023;
  constexpr std::uint64_t kSurplusBits = 0x1FF;  // below mantissa and rounding
  if (digits == 0) return 0.0;
  const int shift = std::countl_zero(digits);
  digits <<= shift;
  const detail::HighBits power = detail::kInversePowersOf5[num_decimals];
  detail::HighBits product = detail::multiply_wide(digits, power.high);
  if ((product.high & kSurplusBits) == kSurplusBits) {
    const detail::HighBits more = detail::multiply_wide(digits, power.low);
    product.low += more.high;
    if (more.high > product.low) ++product.high;
  }
  const auto upper_bit = static_cast<int>(product.high >> 63);
  const int dropped = upper_bit + 64 - kMantissaBits - 3;
  std::uint64_t mantissa = product.high >> dropped;
  // 217706 / 2^16 is log2(10).
  const int binary_exponent = (static_cast<int>(num_decimals) * -217706) >> 16;
  int exponent = binary_exponent + 63 + upper_bit - shift + kBias;
  // The quotient by a small power may be halfway between two numbers.
  const bool is_halfway = product.low <= 1 && num_decimals <= 4 &&
                          (mantissa & 3) == 1 &&
                          mantissa << dropped == product.high;
  if (is_halfway) mantissa &= ~std::uint64_t{1};
  mantissa += mantissa & 1;
  mantissa >>= 1;
  if (mantissa >> (kMantissaBits + 1) != 0) {
    mantissa >>= 1;
    ++exponent;
  }
  mantissa &= (std::uint64_t{1} << kMantissaBits) - 1;
  return std::bit_cast<double>(mantissa | static_cast<std::uint64_t>(exponent)
                                              << kMantissaBits);
}

}  // namespace mlp
