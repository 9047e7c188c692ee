// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/quick_digest.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace mlp {

namespace {

std::uint64_t digest_numbers(const std::vector<double>& numbers) {
  return quick_digest({reinterpret_cast<const char*>(numbers.data()),
                       numbers.size() * sizeof(double)});
}

}  // namespace

TEST_SUITE("core/quick_digest") {
  TEST_CASE("is the same for the same bytes, wherever they are") {
    const std::string text = "one two three four five six seven";
    const std::string moved = "x" + text;

    CHECK(quick_digest(text) ==
          quick_digest(std::string_view(moved).substr(1)));
  }

  TEST_CASE("differs for each prefix and each changed bit") {
    constexpr std::size_t kBytes = 200;
    std::set<std::uint64_t> digests;
    std::string bytes(kBytes, '\0');
    for (std::size_t size = 0; size <= kBytes; ++size) {
      digests.insert(quick_digest(std::string_view(bytes).substr(0, size)));
    }
    for (std::size_t bit = 0; bit < 8 * kBytes; ++bit) {
      std::string changed = bytes;
      changed[bit / 8] = static_cast<char>(1 << bit % 8);
      digests.insert(quick_digest(changed));
    }

    CHECK(digests.size() == kBytes + 1 + 8 * kBytes);
  }

  TEST_CASE("finds signs and places that are exchanged") {
    const std::vector<double> numbers(64, 1.0);
    std::set<std::uint64_t> digests{digest_numbers(numbers)};
    std::size_t count = 1;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j, count += 2) {
        std::vector<double> changed = numbers;
        changed[i] = changed[j] = -1.0;
        digests.insert(digest_numbers(changed));
        changed[i] = 2.0;
        digests.insert(digest_numbers(changed));
      }
    }

    CHECK(digests.size() == count);
  }
}

}  // namespace mlp
