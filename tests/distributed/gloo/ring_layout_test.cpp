// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/gloo/ring_layout.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace mlp::distributed {

namespace {

/// Runs all ranks in step, each adding what its right-hand neighbour sends.
std::vector<std::vector<int>> simulate(const RingLayout& layout,
                                       std::size_t size,
                                       std::size_t num_ranks) {
  std::vector<std::vector<int>> numbers(num_ranks);
  for (std::size_t r = 0; r < num_ranks; ++r) {
    numbers[r].assign(size, 1 << r);
  }
  for (std::size_t i = 0; i < layout.num_items(); ++i) {
    const std::vector<std::vector<int>> sent = numbers;
    for (std::size_t r = 0; r < num_ranks; ++r) {
      const std::size_t right = (r + 1) % num_ranks;
      const RingLayout::Range item = layout.item(right, i);
      for (std::size_t k = item.begin; k < item.begin + item.size; ++k) {
        const bool is_added = i < layout.num_items() / 2;
        numbers[r][k] = sent[right][k] + (is_added ? numbers[r][k] : 0);
      }
    }
  }
  return numbers;
}

}  // namespace

TEST_SUITE("distributed/gloo/ring_layout") {
  TEST_CASE("leads every number around the ring once") {
    for (std::size_t num_ranks = 2; num_ranks <= 5; ++num_ranks) {
      for (const std::size_t size : {1u, 2u, 5u, 1000u, 60'000u}) {
        CAPTURE(num_ranks);
        CAPTURE(size);
        const RingLayout layout(size, 8, num_ranks);

        const auto numbers = simulate(layout, size, num_ranks);

        const std::vector<int> expected(size, (1 << num_ranks) - 1);
        for (const std::vector<int>& sums : numbers) {
          CHECK((sums == expected));
        }
      }
    }
  }

  TEST_CASE("sends on what it got a chunk earlier") {
    const RingLayout layout(100'000, 8, 3);

    for (std::size_t i = layout.num_segments(); i < layout.num_items(); ++i) {
      const RingLayout::Range sent = layout.item(1, i);
      const RingLayout::Range got = layout.item(2, i - layout.num_segments());
      CHECK(sent.begin == got.begin);
      CHECK(sent.size == got.size);
    }
  }

  TEST_CASE("keeps segments within what travels at once") {
    for (const std::size_t bytes : {2u, 4u, 8u}) {
      for (const std::size_t size : {65'536u, 131'073u, 10'000'001u}) {
        const RingLayout layout(size, bytes, 3);

        for (std::size_t i = 0; i < layout.num_items(); ++i) {
          CHECK(layout.item(0, i).size * bytes <= RingLayout::kSegmentBytes);
        }
      }
    }
  }
}

}  // namespace mlp::distributed
