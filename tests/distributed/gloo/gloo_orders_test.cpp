// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Sums over many ranks: around the ring, and by halving.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <latch>
#include <span>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../distributed/exact_sum.hpp"
#include "../../../distributed/gloo/gloo_allreduce.hpp"
#include "../../../distributed/gloo/sum_steps.hpp"
#include "../ranks.hpp"
#include "gloo_of_build.hpp"

namespace mlp::distributed {

namespace {

/// A stated latency beside which the numbers take no time, and none.
constexpr double kHalvingAlways = 1e6;
constexpr double kRingAlways = 0.0;

/// Loss is seen within milliseconds on each rank on the way; a machine under load
/// takes its time.
constexpr double kAtOnceSeconds = 3.0;

/// Short ones, one that is cut into segments, and none that all ranks divide.
constexpr std::array<std::size_t, 4> kSizes{1, 7, 1009, 30'011};

using Work = std::function<void(Allreduce&)>;

std::vector<Outcome> with_ranks(int num_ranks, double step_seconds,
                                const Work& work, double deadline = 300.0) {
  Meeting meeting(num_ranks);
  return outcomes_of_ranks(num_ranks, [&](int rank) {
    ThreadRendezvous rendezvous(meeting, rank, num_ranks);
    GlooOptions options = options_of_build();
    options.step_seconds = step_seconds;
    options.deadline_seconds = deadline;
    const auto group = make_gloo_allreduce(rendezvous, options);
    work(*group);
  });
}

/// Numbers of very different sizes, whose sum depends on the order.
double number_of(std::size_t i, int rank) {
  return (static_cast<double>(i) + 1.0) / (3.0 + rank) *
         (rank % 2 ? -1e6 : 1.0);
}

void require_near(double sum, std::size_t i, int num_ranks) {
  double expected = 0.0;
  double largest = 0.0;
  for (int r = 0; r < num_ranks; ++r) {
    expected += number_of(i, r);
    largest = std::max(largest, std::abs(number_of(i, r)));
  }
  constexpr double kRounding = 1e-13;  // of a few additions
  if (!(std::abs(sum - expected) <= kRounding * largest * num_ranks)) {
    throw Error("number " + std::to_string(i) + " is wrong");
  }
}

/// The bytes of the sums of all sizes, by rank.
std::vector<std::string> sums_of(int num_ranks, double step_seconds) {
  std::vector<std::string> bytes(static_cast<std::size_t>(num_ranks));
  const auto outcomes =
      with_ranks(num_ranks, step_seconds, [&](Allreduce& group) {
        for (const std::size_t size : kSizes) {
          std::vector<double> numbers(size);
          for (std::size_t i = 0; i < size; ++i) {
            numbers[i] = number_of(i, group.rank());
          }
          group.sum(std::span<double>(numbers));
          for (std::size_t i = 0; i < size; i += 1 + i / 8) {
            require_near(numbers[i], i, num_ranks);
          }
          bytes[static_cast<std::size_t>(group.rank())].append(
              reinterpret_cast<const char*>(numbers.data()), 8 * size);
        }
      });
  REQUIRE(sentences(outcomes) == "");
  return bytes;
}

/// The sums of numbers that the ranks divide, by rank, as --reproducible adds them.
std::vector<std::vector<double>> exact_sums_of(int num_ranks,
                                               double step_seconds) {
  constexpr Index kSize = 501;
  constexpr int kNumTerms = 60;
  std::vector<std::vector<double>> sums(static_cast<std::size_t>(num_ranks));
  const auto work = [&](Allreduce& group) {
    ExactSum exact(kSize, 1);
    sum_over_ranks(group, exact, [&] {
      double largest = 0.0;
      for (int t = group.rank(); t < kNumTerms; t += num_ranks) {
        for (Index i = 0; i < kSize; ++i) {
          const double number = number_of(static_cast<std::size_t>(i), t);
          largest = std::max(largest, exact.add(i, &number, 1));
        }
      }
      return largest;
    });
    auto& own = sums[static_cast<std::size_t>(group.rank())];
    own.resize(kSize);
    exact.read(0, own.data(), kSize);
  };
  REQUIRE(sentences(with_ranks(num_ranks, step_seconds, work)) == "");
  return sums;
}

void sum_one(Allreduce& group) {
  std::array<double, 1> numbers{1.0};
  group.sum(std::span<double>(numbers));
}

/// A sum to which one rank never comes.
std::vector<Outcome> without_rank(int num_ranks, int late) {
  constexpr double kDeadline = 0.5;
  std::latch done(num_ranks - 1);
  return with_ranks(
      num_ranks, kHalvingAlways,
      [&](Allreduce& group) {
        if (group.rank() == late) return done.wait();
        try {
          sum_one(group);
        } catch (const CommunicationError&) {
          done.count_down();
          throw;
        }
      },
      kDeadline);
}

}  // namespace

TEST_SUITE("distributed/gloo/gloo_orders") {
  TEST_CASE("sums many sizes over 1 to 33 ranks, with the same bits on all") {
    if (is_skipped()) return;

    for (int num_ranks = 1; num_ranks <= 33; ++num_ranks) {
      CAPTURE(num_ranks);
      for (const double step_seconds : {kHalvingAlways, kRingAlways}) {
        CAPTURE(step_seconds);

        const std::vector<std::string> bytes = sums_of(num_ranks, step_seconds);

        for (const std::string& own : bytes) CHECK((own == bytes.front()));
      }
    }
  }

  TEST_CASE("adds exact sums to the same bits for each number of ranks") {
    if (is_skipped()) return;
    const std::vector<double> expected = exact_sums_of(1, kRingAlways).front();

    for (const int num_ranks : {4, 5, 8, 13, 16, 31, 33}) {
      CAPTURE(num_ranks);
      for (const double step_seconds : {kHalvingAlways, kRingAlways}) {
        for (const auto& own : exact_sums_of(num_ranks, step_seconds)) {
          CHECK((own == expected));
        }
      }
    }
  }

  TEST_CASE(
      "adds in another order by halving, with the same bits in each run") {
    if (is_skipped()) return;

    const std::vector<std::string> first = sums_of(9, kHalvingAlways);

    CHECK((first == sums_of(9, kHalvingAlways)));
    CHECK((first != sums_of(9, kRingAlways)));
  }

  TEST_CASE("connects 200 ranks, each to ten others at most") {
    if (is_skipped()) return;
    constexpr int kNumRanks = 200;

    const auto outcomes =
        with_ranks(kNumRanks, kStepSeconds, [](Allreduce& group) {
          std::vector<double> numbers(100, group.rank());
          group.sum(std::span<double>(numbers));
          constexpr double kSum = kNumRanks * (kNumRanks - 1) / 2.0;
          if (numbers != std::vector<double>(100, kSum)) throw Error("wrong");
        });

    CHECK(sentences(outcomes) == "");
    for (int r = 0; r < kNumRanks; ++r) {
      CHECK(SumSteps::partners(r, kNumRanks).size() <= 10);
    }
  }

  TEST_CASE("tells all ranks at once which rank has left") {
    if (is_skipped()) return;
    constexpr int kNumRanks = 13;
    std::array<double, kNumRanks> seconds{};

    const auto outcomes =
        with_ranks(kNumRanks, kHalvingAlways, [&](Allreduce& group) {
          sum_one(group);
          if (group.rank() == 6) return;
          const Stopwatch watch;
          try {
            sum_one(group);
          } catch (const CommunicationError&) {
            seconds[static_cast<std::size_t>(group.rank())] = watch.seconds();
            throw;
          }
        });

    for (std::size_t r = 0; r < kNumRanks; ++r) {
      if (r == 6) continue;
      CAPTURE(r);
      CHECK(outcomes[r].to_blame == 6);
      CHECK(seconds[r] < kAtOnceSeconds);
    }
  }

  TEST_CASE("names a rank that has not begun a sum, or none") {
    if (is_skipped()) return;
    for (const int late : {0, 3, 4}) {
      // Rank 0 first waits for rank 4, which sends all its numbers to it.
      const int to_blame = late == 0 ? -1 : late;

      const auto outcomes = without_rank(5, late);

      for (int r = 0; r < 5; ++r) {
        if (r == late) continue;
        CAPTURE(late);
        CAPTURE(r);
        const Outcome& outcome = outcomes[static_cast<std::size_t>(r)];
        CHECK(outcome.is_communication_error);
        CHECK(outcome.to_blame == to_blame);
      }
    }
  }
}

}  // namespace mlp::distributed
