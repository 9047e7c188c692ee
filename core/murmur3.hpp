// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mlp::detail {

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

}  // namespace mlp::detail
