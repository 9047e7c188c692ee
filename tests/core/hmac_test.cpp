// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/hmac.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

using namespace mlp;

namespace {

std::string hex(const Sha256::Digest& digest) {
  std::string text;
  for (const auto byte : digest) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

std::string hmac_hex(const std::string& key, const std::string& message) {
  return hex(hmac_sha256(key, message));
}

}  // namespace

TEST_SUITE("core/hmac") {
  // Expected digests: Nystrom 2005, RFC 4231, sections 4.2 to 4.8.
  TEST_CASE("agrees with RFC 4231 for keys shorter than a block") {
    CHECK(hmac_hex(std::string(20, '\x0b'), "Hi There") ==
          "b0344c61d8db38535ca8afceaf0bf12b"
          "881dc200c9833da726e9376c2e32cff7");
    CHECK(hmac_hex("Jefe", "what do ya want for nothing?") ==
          "5bdcc146bf60754e6a042426089575c7"
          "5a003f089d2739839dec58b964ec3843");
    CHECK(hmac_hex(std::string(20, '\xaa'), std::string(50, '\xdd')) ==
          "773ea91e36800e46854db8ebd09181a7"
          "2959098b3ef8c122d9635514ced565fe");
    std::string key;
    for (char byte = 1; byte <= 25; ++byte) key += byte;
    CHECK(hmac_hex(key, std::string(50, '\xcd')) ==
          "82558a389a443c0ea4cc819899f2083a"
          "85f0faa3e578f8077a2e3ff46729665b");
    CHECK(hmac_hex(std::string(20, '\x0c'), "Test With Truncation")
              .starts_with("a3b6167473100ee06e0c796c2955552b"));
  }

  TEST_CASE("agrees with RFC 4231 for keys longer than a block") {
    CHECK(hmac_hex(std::string(131, '\xaa'),
                   "Test Using Larger Than Block-Size Key - Hash Key First") ==
          "60e431591ee0b67f0d8a26aacbf5b77f"
          "8e0bc6213728c5140546040f0ee37f54");
    CHECK(hmac_hex(std::string(131, '\xaa'),
                   "This is a test using a larger than block-size key and a "
                   "larger than block-size data. The key needs to be hashed "
                   "before being used by the HMAC algorithm.") ==
          "9b09ffa71b942fcb27635fbcd5b0e944"
          "bfdc63644f0713938a7f51535c3a35e2");
  }

  TEST_CASE("tells two keys, and a key of a block from a longer one") {
    CHECK(hmac_hex(std::string(64, 'a'), "m") !=
          hmac_hex(std::string(65, 'a'), "m"));
    CHECK(hmac_hex("a", "m") != hmac_hex("b", "m"));
  }

  TEST_CASE("compares every byte of a digest") {
    const Sha256::Digest digest = hmac_sha256("key", "message");
    CHECK(is_same_digest(digest, hmac_sha256("key", "message")));

    for (std::size_t i = 0; i < digest.size(); ++i) {
      Sha256::Digest other = digest;
      other[i] = static_cast<std::uint8_t>(other[i] ^ 0x80);
      CHECK(!is_same_digest(digest, other));
    }
  }
}
