// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "names.hpp"

/// The stream of random numbers that Spark draws from a seed.
namespace mlp {

/// Selects how Spark's random generator hashes its seed.
///
/// Spark 3.0 changed the hash (SPARK-23643). Up to Spark 2.4 the seed was
/// padded to 64 bytes before hashing.
enum class SeedHash { kSpark3, kSpark2 };

inline constexpr auto kSeedHashNames = std::to_array<Named<SeedHash>>({
    {SeedHash::kSpark3, "3"},
    {SeedHash::kSpark2, "2"},
});

namespace detail {

/// Hashes bytes with MurmurHash3 x86_32, as Spark does for random seeds.
///
/// Words are read as little-endian on every machine.
/// \pre    bytes.size() is a multiple of 4; the seeds hashed here have 8 or 64
/// \source Appleby, SMHasher
inline std::uint32_t murmur3(std::span<const std::uint8_t> bytes,
                             std::uint32_t seed) {
  std::uint32_t hash = seed;
  for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    std::uint32_t word = bytes[i] | std::uint32_t{bytes[i + 1]} << 8 |
                         std::uint32_t{bytes[i + 2]} << 16 |
                         std::uint32_t{bytes[i + 3]} << 24;
    word *= 0xcc9e2d51u;
    word = std::rotl(word, 15);
    word *= 0x1b873593u;
    hash ^= word;
    hash = std::rotl(hash, 13) * 5 + 0xe6546b64u;
  }
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85ebca6bu;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
  return hash ^ hash >> 16;
}

}  // namespace detail

/// Spark's random generator, XORShiftRandom.
///
/// It is a java.util.Random with another next().
///
/// \source Spark core/util/random/XORShiftRandom.scala; Marsaglia 2003,
///         Xorshift RNGs, with the shifts (21, 35, 4)
class SparkRandom {
 public:
  explicit SparkRandom(std::int64_t seed, SeedHash era = SeedHash::kSpark3)
      : state_(hash_seed(seed, era)) {}

  /// Returns the next uniform number in [0, 1). It has 53 random bits, drawn as
  /// the high 26 and then the low 27.
  double next_double() {
    const std::uint64_t high = next(26);
    const std::uint64_t low = next(27);
    return static_cast<double>((high << 27) + low) * 0x1.0p-53;
  }

  /// Returns the next standard normal number, as java.util.Random does. The
  /// polar method makes two numbers at a time; the second one is kept for the
  /// next call.
  ///
  /// \source Marsaglia and Bray 1964, A Convenient Method for Generating Normal
  ///         Variables; java.util.Random.nextGaussian
  double next_gaussian() {
    if (has_gaussian_) {
      has_gaussian_ = false;
      return gaussian_;
    }
    double x = 0.0;
    double y = 0.0;
    double square = 0.0;
    do {
      x = 2.0 * next_double() - 1.0;
      y = 2.0 * next_double() - 1.0;
      square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    const double factor = std::sqrt(-2.0 * std::log(square) / square);
    gaussian_ = y * factor;
    has_gaussian_ = true;
    return x * factor;
  }

  /// Returns the state as Spark's tests print it.
  [[nodiscard]] std::int64_t state() const {
    return static_cast<std::int64_t>(state_);
  }

 private:
  static std::uint64_t hash_seed(std::int64_t seed, SeedHash era) {
    std::array<std::uint8_t, 64> bytes{};
    for (unsigned i = 0; i < 8; ++i) {
      bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(seed) >>
                                           (56 - 8 * i));
    }
    const auto hashed = std::span<const std::uint8_t>(bytes).first(
        era == SeedHash::kSpark3 ? 8u : 64u);
    const std::uint32_t low = detail::murmur3(hashed, kScalaArraySeed);
    const std::uint32_t high = detail::murmur3(hashed, low);
    return std::uint64_t{high} << 32 | low;
  }

  std::uint64_t next(unsigned bits) {
    state_ ^= state_ << 21;
    state_ ^= state_ >> 35;
    state_ ^= state_ << 4;
    return state_ & ((std::uint64_t{1} << bits) - 1);
  }

  /// scala.util.hashing.MurmurHash3.arraySeed
  static constexpr std::uint32_t kScalaArraySeed = 0x3c074a61u;

  std::uint64_t state_;
  double gaussian_ = 0.0;  ///< the kept second number
  bool has_gaussian_ = false;
};

}  // namespace mlp
