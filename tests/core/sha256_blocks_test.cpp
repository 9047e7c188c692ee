// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/sha256_blocks.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

using namespace mlp::detail;

namespace {

/// Bytes of every value in no simple order.
std::string mixed_bytes(std::size_t size) {
  std::string bytes;
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < size; ++i) {
    state = state * 1664525u + 1013904223u;
    bytes += static_cast<char>(state >> 24);
  }
  return bytes;
}

constexpr Sha256State kStart{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

}  // namespace

TEST_SUITE("core/sha256_blocks") {
  // NIST, FIPS 180-4 example: the padded block of "abc".
  TEST_CASE("adds one block as NIST does") {
    std::string block("abc\x80");
    block.append(59, '\0');
    block += '\x18';
    Sha256State state = kStart;

    add_sha256_blocks_plainly(state, block.data(), 1);

    CHECK(state == Sha256State{0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                               0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad});
  }

  TEST_CASE("gives the same state whichever way the processor offers") {
    const std::string bytes = mixed_bytes(20 * kSha256BlockBytes + 1);

    for (std::size_t num_blocks = 0; num_blocks <= 20; ++num_blocks) {
      Sha256State plain = kStart;
      Sha256State fastest = kStart;
      // One byte on: the blocks need not be aligned.
      add_sha256_blocks_plainly(plain, bytes.data() + 1, num_blocks);
      add_sha256_blocks(fastest, bytes.data() + 1, num_blocks);
      CHECK(plain == fastest);
    }
  }

  TEST_CASE("leaves the state as it is for no block") {
    Sha256State state = kStart;

    add_sha256_blocks(state, nullptr, 0);

    CHECK(state == kStart);
  }
}
