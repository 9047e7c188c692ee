// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/gloo/sum_steps.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mlp::distributed {

namespace {

constexpr SumOrder kOrders[] = {SumOrder::kRing, SumOrder::kHalving};

/// The numbers of all ranks, in which each rank counts the ranks in a number.
using Numbers = std::vector<std::vector<std::uint64_t>>;

/// A number that counts once for each rank: sums of it show what was added.
std::uint64_t number_of(int rank) {
  return (std::uint64_t{1} << 40) + static_cast<std::uint64_t>(rank) * rank;
}

/// Applies a step of a rank to what its partner has sent.
void take(const SumSteps::Step& step, const Numbers& sent,
          std::vector<std::uint64_t>& numbers) {
  if (step.from < 0) return;
  const auto& from = sent[static_cast<std::size_t>(step.from)];
  const std::size_t end = step.received.begin + step.received.size;
  for (std::size_t k = step.received.begin; k < end; ++k) {
    numbers[k] = from[k] + (step.is_added ? numbers[k] : 0);
  }
}

/// Runs all ranks in step.
Numbers simulate(SumOrder order, std::size_t size, int num_ranks) {
  Numbers numbers;
  for (int r = 0; r < num_ranks; ++r) numbers.emplace_back(size, number_of(r));
  const int num_steps = SumSteps(order, size, 0, num_ranks).num_steps();
  for (int i = 0; i < num_steps; ++i) {
    const Numbers sent = numbers;
    for (int r = 0; r < num_ranks; ++r) {
      take(SumSteps(order, size, r, num_ranks).step(i), sent,
           numbers[static_cast<std::size_t>(r)]);
    }
  }
  return numbers;
}

/// True if each rank sends in a step what another one receives, and else nothing.
bool is_matched(SumOrder order, std::size_t size, int num_ranks, int i) {
  const auto step_of = [&](int r) {
    return SumSteps(order, size, r, num_ranks).step(i);
  };
  for (int r = 0; r < num_ranks; ++r) {
    const SumSteps::Step own = step_of(r);
    if (own.to >= 0) {
      const SumSteps::Step to = step_of(own.to);
      if (to.from != r || to.received.begin != own.sent.begin ||
          to.received.size != own.sent.size) {
        return false;
      }
    }
    if (own.from >= 0 && step_of(own.from).to != r) return false;
  }
  return true;
}

}  // namespace

TEST_SUITE("distributed/gloo/sum_steps") {
  TEST_CASE("adds each number of each rank once, for every number of ranks") {
    for (const SumOrder order : kOrders) {
      for (int num_ranks = 2; num_ranks <= 33; ++num_ranks) {
        std::uint64_t sum = 0;
        for (int r = 0; r < num_ranks; ++r) sum += number_of(r);
        for (const std::size_t size : {1u, 2u, 5u, 64u, 1000u}) {
          CAPTURE(num_ranks);
          CAPTURE(size);

          const Numbers numbers = simulate(order, size, num_ranks);

          const std::vector<std::uint64_t> expected(size, sum);
          for (const auto& sums : numbers) CHECK((sums == expected));
        }
      }
    }
  }

  TEST_CASE("sends in each step what another rank expects") {
    for (const SumOrder order : kOrders) {
      for (const int num_ranks : {2, 3, 7, 8, 100, 129}) {
        CAPTURE(num_ranks);
        const int num_steps = SumSteps(order, 999, 0, num_ranks).num_steps();
        for (int i = 0; i < num_steps; ++i) {
          CHECK(is_matched(order, 999, num_ranks, i));
        }
      }
    }
  }

  TEST_CASE("needs 2 log2 n steps with halving, and two for other numbers") {
    const auto count = [](SumOrder order, int num_ranks) {
      return SumSteps(order, 1, 0, num_ranks).num_steps();
    };

    CHECK(count(SumOrder::kHalving, 2) == 2);
    CHECK(count(SumOrder::kHalving, 128) == 14);
    CHECK(count(SumOrder::kHalving, 100) == 14);
    CHECK(count(SumOrder::kHalving, 1024) == 20);
    CHECK(count(SumOrder::kRing, 128) == 254);
  }

  TEST_CASE(
      "has at most log2 n + 3 partners, which are partners of each other") {
    for (const int num_ranks : {2, 3, 4, 31, 128, 1000, 1024}) {
      CAPTURE(num_ranks);
      const std::size_t most =
          std::bit_width(static_cast<unsigned>(num_ranks)) + 2;
      for (int r = 0; r < num_ranks; ++r) {
        const std::set<int> partners = SumSteps::partners(r, num_ranks);
        CHECK(partners.size() <= most);
        CHECK(!partners.contains(r));
        for (const int other : partners) {
          CHECK(SumSteps::partners(other, num_ranks).contains(r));
        }
      }
    }
  }

  TEST_CASE("keeps segments within what travels at once") {
    for (const std::size_t bytes : {2u, 4u, 8u}) {
      for (const std::size_t size : {0u, 65'536u, 131'073u, 10'000'001u}) {
        const std::size_t n = SumSteps::num_segments({0, size}, bytes);

        CHECK(SumSteps::part({0, size}, 0, n).size * bytes <=
              SumSteps::kSegmentBytes);
      }
    }
    CHECK(SumSteps::num_segments({0, 0}, 8) == 1);
    CHECK(SumSteps::num_segments({0, 8193}, 8) == 2);
  }

  TEST_CASE("knows which message shows that a rank has begun") {
    const SumSteps ring(SumOrder::kRing, 9, 0, 5);
    const SumSteps halving(SumOrder::kHalving, 9, 0, 5);
    const SumSteps second(SumOrder::kHalving, 9, 3, 5);

    CHECK(ring.is_first_of(1, 0));
    CHECK_FALSE(ring.is_first_of(1, 1));
    CHECK(halving.is_first_of(4, 0));        // sends all its numbers
    CHECK_FALSE(halving.is_first_of(2, 2));  // has exchanged with rank 3
    CHECK(second.is_first_of(2, 1));
    CHECK_FALSE(SumSteps(SumOrder::kHalving, 9, 1, 5).is_first_of(0, 1));
  }

  TEST_CASE("chooses halving where the latency of the ring dominates") {
    const auto choose = [](int num_ranks, std::size_t num_bytes) {
      return choose_order(num_ranks, num_bytes, kStepSeconds);
    };

    CHECK(choose(2, 8) == SumOrder::kRing);
    CHECK(choose(3, 8) == SumOrder::kRing);
    CHECK(choose(4, 636'080) == SumOrder::kHalving);
    CHECK(choose(4, 8'000'000) == SumOrder::kRing);
    CHECK(choose(100, 636'080) == SumOrder::kHalving);
    CHECK(choose(100, 95'780'000) == SumOrder::kRing);
    CHECK(choose(128, 95'780'000) == SumOrder::kHalving);
    CHECK(choose_order(128, 8, 0.0) == SumOrder::kRing);
  }

  TEST_CASE("predicts 4 ms for MNIST over 128 workers, and 5 ms over 100") {
    const auto predict = [](SumOrder order, int num_ranks) {
      return predict_sum_seconds(order, num_ranks, 636'080, kStepSeconds);
    };

    // 14 * 150 us + 2 * 127 / 128 * 636,080 B / 1.177 GB/s
    CHECK(predict(SumOrder::kHalving, 128) ==
          doctest::Approx(3.17e-3).epsilon(0.01));
    // 14 * 150 us + (2 * 63 / 64 + 2) * 636,080 B / 1.177 GB/s
    CHECK(predict(SumOrder::kHalving, 100) ==
          doctest::Approx(4.24e-3).epsilon(0.01));
    // 198 * 150 us + 2 * 99 / 100 * 636,080 B / 1.177 GB/s
    CHECK(predict(SumOrder::kRing, 100) ==
          doctest::Approx(30.8e-3).epsilon(0.01));
  }
}

}  // namespace mlp::distributed
