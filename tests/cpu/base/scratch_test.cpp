// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cpu/base/scratch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

using mlp::cpu::Scratch;

namespace {

constexpr std::uintptr_t kCacheLine = 64;

template <typename T>
bool is_aligned(const T* data) {
  return reinterpret_cast<std::uintptr_t>(data) % kCacheLine == 0;
}

}  // namespace

TEST_SUITE("cpu/base/scratch") {
  TEST_CASE("lies in itself until it is too large") {
    Scratch<double, 8> small(8);
    Scratch<double, 8> large(9);

    const auto lies_in = [](auto& scratch) {
      const auto at = reinterpret_cast<std::uintptr_t>(scratch.data());
      const auto begin = reinterpret_cast<std::uintptr_t>(&scratch);
      return at >= begin && at < begin + sizeof scratch;
    };
    CHECK(lies_in(small));
    CHECK(is_aligned(small.data()));
    CHECK_FALSE(lies_in(large));
    CHECK(is_aligned(large.data()));
    std::fill_n(large.data(), 9, 1.0);
  }
}
