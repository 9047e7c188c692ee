// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/sha256.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace mlp::detail;
using mlp::Sha256;
using mlp::sha256_hex;

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

TEST_SUITE("core/sha256") {
  // Expected digests: NIST, FIPS 180-4 example values for SHA-256.
  TEST_CASE("digests no bytes as NIST does") {
    CHECK(sha256_hex("") ==
          "e3b0c44298fc1c149afbf4c8996fb924"
          "27ae41e4649b934ca495991b7852b855");
  }

  TEST_CASE("digests one block as NIST does") {
    CHECK(sha256_hex("abc") ==
          "ba7816bf8f01cfea414140de5dae2223"
          "b00361a396177a9cb410ff61f20015ad");
  }

  TEST_CASE("digests 448 bits and so two blocks as NIST does") {
    CHECK(sha256_hex(
              "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039"
          "a33ce45964ff2167f6ecedd419db06c1");
  }

  TEST_CASE("digests one million letters as NIST does") {
    CHECK(sha256_hex(std::string(1'000'000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67"
          "f1809a48a497200e046d39ccc7112cd0");
  }

  // Expected digests: sha256sum of coreutils 9.1.
  TEST_CASE("digests lengths around the end of a block as sha256sum does") {
    const std::vector<std::pair<std::size_t, const char*>> digests = {
        {55,
         "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56,
         "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {63,
         "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64,
         "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {119,
         "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
        {120,
         "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
        {128,
         "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e"}};

    for (const auto& expected : digests) {
      CAPTURE(expected.first);
      CHECK(sha256_hex(std::string(expected.first, 'a')) == expected.second);
    }
  }

  TEST_CASE("counts more than 2^32 bits") {
    std::string mebibyte(std::size_t{1} << 20, '\0');
    for (std::size_t i = 0; i < mebibyte.size(); ++i) {
      mebibyte[i] = static_cast<char>(i & 255);
    }
    Sha256 hash;
    for (int i = 0; i < 512; ++i) hash.update(mebibyte);

    CHECK(hash.hex() ==
          "c047731a3c134f3d34286d608e9c1730"
          "27d50f43ab9d2064f3c360939977e908");
    hash.update("end");
    CHECK(hash.hex() ==
          "2a948ba7ed28454a04a74b8dc1d1e1a1"
          "173f48368889966bf5343a65d03ce548");
  }

  TEST_CASE("gives the same digest however the bytes are cut") {
    std::string text;
    for (int i = 0; i < 200; ++i) text += static_cast<char>(7 * i);
    const std::string whole = sha256_hex(text);

    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      Sha256 hash;
      hash.update(std::string_view(text).substr(0, cut));
      hash.update(std::string_view(text).substr(cut));
      CHECK(hash.hex() == whole);
    }
  }

  TEST_CASE("tells every length around the block size apart and repeats") {
    for (std::size_t size = 1; size < 200; ++size) {
      const std::string text(size, '\0');
      Sha256 bytewise;
      for (const char& byte : text) bytewise.update({&byte, 1});

      CHECK(bytewise.hex() == sha256_hex(text));
      CHECK(bytewise.hex() != sha256_hex(text + '\0'));
    }
  }

  TEST_CASE("goes on after a digest was taken") {
    Sha256 hash;
    hash.update("a");

    CHECK(hash.hex() == sha256_hex("a"));
    hash.update("bc");
    CHECK(hash.hex() == sha256_hex("abc"));
  }

  // NIST, FIPS 180-4 example: the padded block of "abc".
  TEST_CASE("adds one block to the state as NIST does") {
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
