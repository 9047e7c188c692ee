// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/sha256_thread.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "../../core/sha256.hpp"

using mlp::sha256_hex;
using mlp::Sha256Thread;

namespace {

/// Enough that the thread starts.
constexpr std::size_t kManyBytes = (std::size_t{3} << 20) + 17;

std::string many_bytes() {
  std::string bytes(kManyBytes, 'x');
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    bytes[i] = static_cast<char>('a' + i % 25);
  }
  return bytes;
}

}  // namespace

TEST_SUITE("core/sha256_thread") {
  TEST_CASE("hashes no, few and many bytes as sha256_hex does") {
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{10}, kManyBytes}) {
      const std::string bytes(size, 'x');
      Sha256Thread hash;
      hash.update(bytes);

      CHECK(hash.hex() == sha256_hex(bytes));
    }
  }

  TEST_CASE("hashes parts of any size in their order") {
    const std::string bytes = many_bytes();
    for (const std::size_t part_bytes : {1000u, 70000u, 2u << 20}) {
      Sha256Thread hash;
      for (std::size_t at = 0; at < bytes.size(); at += part_bytes) {
        hash.update(std::string_view(bytes).substr(at, part_bytes));
      }

      CHECK(hash.hex() == sha256_hex(bytes));
    }
  }

  TEST_CASE("lets bytes change after it has waited for them") {
    const std::string bytes = many_bytes();
    for (const std::size_t size : {std::size_t{10}, bytes.size()}) {
      std::string changing = bytes.substr(0, size);
      Sha256Thread hash;
      hash.update(changing);
      hash.wait();
      std::fill(changing.begin(), changing.end(), '!');
      hash.update(changing);

      CHECK(hash.hex() == sha256_hex(bytes.substr(0, size) + changing));
    }
  }

  TEST_CASE("ends when nobody asks for the digest") {
    const std::string bytes = many_bytes();

    Sha256Thread hash;
    hash.update(bytes);
  }
}
