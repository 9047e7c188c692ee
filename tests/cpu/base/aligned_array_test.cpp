// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cpu/base/aligned_array.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace mlp::cpu {

TEST_SUITE("cpu/base/aligned_array") {
  TEST_CASE("starts on a cache line and is zero at first") {
    for (const std::size_t size : {1u, 7u, 8u, 1001u}) {
      const AlignedArray<double> array(size);

      CHECK(reinterpret_cast<std::uintptr_t>(array.data()) % 64 == 0);
      CHECK(std::count(array.data(), array.data() + size, 0.0) ==
            static_cast<std::ptrdiff_t>(size));
    }
  }

  TEST_CASE("hands its doubles on when moved") {
    AlignedArray<double> from(3);
    from.data()[2] = 5.0;
    const double* data = from.data();

    const AlignedArray<double> to = std::move(from);

    CHECK(to.data() == data);
    CHECK(to.data()[2] == 5.0);
  }

  TEST_CASE("can be written when nothing was filled in") {
    const AlignedArray<double> array(1000, Fill::kNothing);

    std::fill_n(array.data(), 1000, 2.5);

    CHECK(reinterpret_cast<std::uintptr_t>(array.data()) % 64 == 0);
    CHECK(array.data()[999] == 2.5);
  }

  TEST_CASE("holds nothing when made by default") {
    CHECK(AlignedArray<float>().data() == nullptr);
  }
}

}  // namespace mlp::cpu
