// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/mini_batch_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

namespace mlp {

namespace {

/// All batches of an epoch, one behind the other.
std::vector<Index> epoch_of(MiniBatchOrder& order, Index epoch) {
  order.shuffle(epoch);
  std::vector<Index> instances;
  for (Index b = 0; b < order.num_batches(); ++b) {
    const auto batch = order.batch(b);
    instances.insert(instances.end(), batch.begin(), batch.end());
  }
  return instances;
}

/// Counts the neighbours that are none in another order.
int count_breaks(const std::vector<Index>& order,
                 const std::vector<Index>& other) {
  std::vector<Index> place_of(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) {
    place_of[static_cast<std::size_t>(other[i])] = static_cast<Index>(i);
  }
  int num_breaks = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto at = [&](std::size_t j) {
      return place_of[static_cast<std::size_t>(order[j])];
    };
    num_breaks += at(i) == at(i - 1) + 1 ? 0 : 1;
  }
  return num_breaks;
}

}  // namespace

TEST_SUITE("mlp/training/mini_batch_order") {
  TEST_CASE("takes each instance once in an epoch") {
    MiniBatchOrder order(10, 3, 1, 7);
    std::vector<Index> all(10);
    std::iota(all.begin(), all.end(), Index{0});

    std::vector<Index> epoch = epoch_of(order, 0);
    std::sort(epoch.begin(), epoch.end());

    CHECK(order.num_batches() == 4);
    CHECK(order.batch(0).size() == 3);
    CHECK(order.batch(3).size() == 1);
    CHECK(epoch == all);
  }

  TEST_CASE("leaves out a rest that is too small") {
    MiniBatchOrder too_small(10, 3, 2, 7);
    MiniBatchOrder large_enough(11, 3, 2, 7);

    CHECK(too_small.num_batches() == 3);
    CHECK(epoch_of(too_small, 0).size() == 9);
    CHECK(large_enough.num_batches() == 4);
  }

  TEST_CASE("makes one batch of all where these are fewer than its size") {
    MiniBatchOrder order(3, 128, 2, 7);

    CHECK(order.num_batches() == 1);
    CHECK(epoch_of(order, 0).size() == 3);
  }

  TEST_CASE("shuffles by the seed and the epoch alone") {
    MiniBatchOrder order(50, 8, 1, 7);
    MiniBatchOrder same(50, 8, 1, 7);
    MiniBatchOrder other(50, 8, 1, 8);

    const std::vector<Index> third = epoch_of(order, 3);
    epoch_of(same, 9);

    CHECK(epoch_of(same, 3) == third);
    CHECK(epoch_of(order, 4) != third);
    CHECK(epoch_of(other, 3) != third);
  }

  TEST_CASE("takes the instances in their order where it does not shuffle") {
    MiniBatchOrder order(5, 2, 1, 7, {false});

    CHECK(epoch_of(order, 0) == std::vector<Index>{0, 1, 2, 3, 4});
    CHECK(epoch_of(order, 3) == std::vector<Index>{0, 1, 2, 3, 4});
  }

  TEST_CASE("shuffles slabs of the first epoch in later ones") {
    MiniBatchOrder rows(100, 8, 1, 7);
    MiniBatchOrder slabs(100, 8, 1, 7, {true, 10});
    const std::vector<Index> first = epoch_of(rows, 0);

    for (const Index epoch : {1, 2, 3}) {
      std::vector<Index> later = epoch_of(slabs, epoch);
      CHECK(later != first);
      CHECK(count_breaks(later, first) <= 10);
      CHECK(count_breaks(later, first) >= 5);
      std::sort(later.begin(), later.end());
      CHECK(later.back() == 99);
      CHECK(std::unique(later.begin(), later.end()) == later.end());
    }
    CHECK(epoch_of(slabs, 0) == first);
    CHECK(epoch_of(slabs, 2) != epoch_of(slabs, 1));
  }

  TEST_CASE("a slab has about four MiB, and there are at least 64") {
    CHECK(slab_size(784, 1000000) == 668);
    CHECK(slab_size(1, 6400) == 100);
    CHECK(slab_size(1 << 20, 1000) == 1);
    CHECK(slab_size(4, 30) == 1);
  }

  TEST_CASE("puts every instance at every place about as often") {
    // 4 places, 4000 epochs: 1000 each, with a deviation of 27.
    constexpr int kEpochs = 4000;
    constexpr int kFiveDeviations = 137;
    MiniBatchOrder order(4, 4, 1, 1);
    std::vector<int> counts(16);

    for (Index epoch = 0; epoch < kEpochs; ++epoch) {
      const std::vector<Index> places = epoch_of(order, epoch);
      for (std::size_t i = 0; i < 4; ++i) {
        ++counts[4 * i + static_cast<std::size_t>(places[i])];
      }
    }

    for (const int count : counts) {
      CHECK(std::abs(count - kEpochs / 4) < kFiveDeviations);
    }
  }

  TEST_CASE("seeds dropout otherwise in each step") {
    const MiniBatchOrder order(50, 8, 1, 7);
    std::set<std::uint64_t> seeds;

    for (Index step = 0; step < 1000; ++step) {
      seeds.insert(order.dropout_seed(step));
    }

    CHECK(seeds.size() == 1000);
    CHECK(seeds.count(MiniBatchOrder(50, 8, 1, 8).dropout_seed(0)) == 0);
  }
}

}  // namespace mlp
