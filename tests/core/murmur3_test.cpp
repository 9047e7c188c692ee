// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "../../core/spark_random.hpp"

namespace mlp::detail {

namespace {

std::uint32_t hash_text(std::string_view text, std::uint32_t seed) {
  return murmur3(std::vector<std::uint8_t>(text.begin(), text.end()), seed);
}

}  // namespace

TEST_SUITE("core/murmur3") {
  // fmix32 alone: x ^= x >> 16, * 0x85ebca6b, x ^= x >> 13, * 0xc2b2ae35,
  // x ^= x >> 16. It maps 0 to 0 and 1 to 0x514e28b7.
  TEST_CASE("only finishes the seed where there are no bytes") {
    CHECK(hash_text("", 0) == 0u);
    CHECK(hash_text("", 1) == 0x514e28b7u);
    CHECK(hash_text("", 0xffffffffu) == 0x81f16f39u);
  }

  // Published vectors of MurmurHash3_x86_32.
  TEST_CASE("hashes words as the published vectors say") {
    CHECK(hash_text("test", 0) == 0xba6bd213u);
    CHECK(hash_text("test", 0x9747b28cu) == 0x704b81dcu);
    CHECK(hash_text("aaaa", 0x9747b28cu) == 0x5a97808au);
    CHECK(hash_text("abcd", 0x9747b28cu) == 0xf0478627u);
    CHECK(murmur3(std::vector<std::uint8_t>(4, 0), 0) == 0x2362f9deu);
    CHECK(murmur3(std::vector<std::uint8_t>(4, 0xff), 0) == 0x76293b50u);
  }

  TEST_CASE("reads words as little-endian") {
    // 0x87654321 as bytes 21 43 65 87.
    CHECK(murmur3(std::vector<std::uint8_t>{0x21, 0x43, 0x65, 0x87}, 0) ==
          0xf55b516bu);
    CHECK(murmur3(std::vector<std::uint8_t>{0x21, 0x43, 0x65, 0x87},
                  0x5082edeeu) == 0x2362f9deu);
  }

  TEST_CASE("lets the number of zero bytes count") {
    std::set<std::uint32_t> hashes;
    for (std::size_t size = 0; size <= 64; size += 4) {
      hashes.insert(murmur3(std::vector<std::uint8_t>(size, 0), 0));
    }

    CHECK(hashes.size() == 17);
  }

  TEST_CASE("lets every byte and the seed count") {
    const std::vector<std::uint8_t> zeros(64, 0);
    const std::uint32_t hash = murmur3(zeros, 7);

    for (std::size_t i = 0; i < zeros.size(); ++i) {
      std::vector<std::uint8_t> changed = zeros;
      changed[i] = 1;
      CHECK(murmur3(changed, 7) != hash);
    }
    CHECK(murmur3(zeros, 8) != hash);
  }
}

}  // namespace mlp::detail
