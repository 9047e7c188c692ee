// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mlp {

/// A digest that finds accidental differences of large data about as fast as
/// memory is read. It is no protection against data that are made to collide:
/// use SHA-256 for that. It depends on the byte order of the machine.
///
/// \param bytes  any number
/// \cost  one multiplication for each 8 bytes
/// \source multiplication and shift by half, as in MurmurHash3's finalizer, in
///         eight independent lanes
[[nodiscard]] inline std::uint64_t quick_digest(std::string_view bytes) {
  constexpr std::uint64_t kFactor = 0x517cc1b727220a95;
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::array<std::uint64_t, 8> lanes{1, 2, 3, 4, 5, 6, 7, 8};
  const auto add = [](std::uint64_t& lane, std::uint64_t word) {
    lane = (lane ^ word) * kFactor;
    lane ^= lane >> 32;  // a multiplication does not change lower bits
  };
  std::size_t at = 0;
  for (; at + sizeof lanes <= bytes.size(); at += sizeof lanes) {
    std::array<std::uint64_t, 8> words;
    std::memcpy(words.data(), bytes.data() + at, sizeof words);
    for (std::size_t i = 0; i < lanes.size(); ++i) add(lanes[i], words[i]);
  }
  for (; at < bytes.size(); at += kWord) {
    std::uint64_t word = 0;
    const std::string_view rest = bytes.substr(at, kWord);
    std::memcpy(&word, rest.data(), rest.size());
    add(lanes[0], word);
  }
  std::uint64_t digest = bytes.size();
  for (const std::uint64_t lane : lanes) add(digest, lane);
  return digest;
}

}  // namespace mlp
