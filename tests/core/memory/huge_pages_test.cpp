// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../core/memory/huge_pages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

using mlp::advise_huge_pages;

TEST_SUITE("core/memory/huge_pages") {
  TEST_CASE("keeps the contents of memory of every size and alignment") {
    constexpr std::size_t kBytes = std::size_t{9} << 20;
    std::vector<char> memory(kBytes, 'x');

    for (const std::size_t offset : {0u, 1u, 4095u, 4096u}) {
      advise_huge_pages(memory.data() + offset, kBytes - offset);
      advise_huge_pages(memory.data() + offset, std::size_t{5} << 20);
    }

    CHECK(std::count(memory.begin(), memory.end(), 'x') == kBytes);
  }

  TEST_CASE("leaves little memory and none as they are") {
    char byte = 'x';

    advise_huge_pages(nullptr, 0);
    advise_huge_pages(&byte, 1);

    CHECK(byte == 'x');
  }
}
