// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../distributed/thread_group.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../../core/error.hpp"
#include "../allocations.hpp"
#include "ranks.hpp"

namespace mlp::distributed {

using testing::run_ranks;

namespace {

/// Half a minute: what no test may take, however busy the machine is.
constexpr double kLongSeconds = 30.0;

std::vector<std::string> no_errors(int world_size) {
  return std::vector<std::string>(static_cast<std::size_t>(world_size));
}

/// The bits of 1 / (1 + i + rank) summed over the ranks, by each rank.
template <typename Number>
std::vector<std::vector<Number>> sum_fractions(int world_size,
                                               std::size_t size) {
  std::vector<std::vector<Number>> sums(static_cast<std::size_t>(world_size));
  ThreadGroup group(world_size, kLongSeconds);
  const std::vector<std::string> errors = run_ranks(world_size, [&](int rank) {
    std::vector<Number> numbers;
    for (std::size_t i = 0; i < size; ++i) {
      const double divisor = static_cast<double>(i) + rank + 1.0;
      numbers.push_back(static_cast<Number>(static_cast<float>(1.0 / divisor)));
    }
    for (int round = 0; round < 3; ++round) {
      std::vector<Number> copy = numbers;
      group.rank(rank).sum(std::span<Number>(copy));
      sums[static_cast<std::size_t>(rank)] = copy;
    }
  });
  CHECK(errors == no_errors(world_size));
  return sums;
}

}  // namespace

TEST_SUITE("distributed/thread_group") {
  TEST_CASE_TEMPLATE("adds in the order of the ranks, the same for all", Number,
                     double, float, Float16, Bfloat16) {
    for (const int world_size : {1, 2, 3, 4, 7}) {
      for (const std::size_t size : {1u, 2u, 5u, 1000u, 5001u}) {
        const auto sums = sum_fractions<Number>(world_size, size);

        for (std::size_t i = 0; i < size; ++i) {
          using Accumulator =
              std::conditional_t<sizeof(Number) == 2, float, Number>;
          Accumulator expected = 0;
          for (int rank = 0; rank < world_size; ++rank) {
            const double divisor = static_cast<double>(i) + rank + 1.0;
            expected += static_cast<Accumulator>(
                static_cast<Number>(static_cast<float>(1.0 / divisor)));
          }
          for (const auto& of_rank : sums) {
            REQUIRE(static_cast<float>(of_rank[i]) ==
                    static_cast<float>(static_cast<Number>(expected)));
          }
        }
      }
    }
  }

  TEST_CASE("sums nothing and still meets") {
    ThreadGroup group(2, kLongSeconds);

    CHECK(run_ranks(2, [&](int rank) {
            group.rank(rank).sum(std::span<double>());
          }) == no_errors(2));
  }

  TEST_CASE("gathers texts by rank") {
    ThreadGroup group(3, kLongSeconds);

    CHECK(run_ranks(3, [&](int rank) {
            const auto texts =
                group.rank(rank).all_gather(std::string(3, char('a' + rank)));
            CHECK(texts == std::vector<std::string>{"aaa", "bbb", "ccc"});
          }) == no_errors(3));
  }

  TEST_CASE("meets thousands of times with more ranks than processors") {
    constexpr int kRounds = 2000;
    ThreadGroup group(8, kLongSeconds);

    CHECK(run_ranks(8, [&](int rank) {
            for (int round = 0; round < kRounds; ++round) {
              std::vector<double> numbers(3, rank + round);
              group.rank(rank).sum(std::span<double>(numbers));
              REQUIRE(numbers[2] == 28.0 + 8.0 * round);
            }
          }) == no_errors(8));
  }

  TEST_CASE("names the rank that does not come in time") {
    ThreadGroup group(3, 0.05);
    const std::vector<std::string> errors = run_ranks(3, [&](int rank) {
      if (rank == 1) return;
      std::vector<double> numbers(1);
      group.rank(rank).sum(std::span<double>(numbers));
    });

    CHECK(errors[0].find("rank 1: did not arrive within 0.05 s") == 0);
    CHECK(errors[2] == errors[0]);
  }

  TEST_CASE("refuses every call after the group has ended") {
    ThreadGroup group(2, kLongSeconds);
    group.rank(1).cancel("the data are broken");

    for (int again = 0; again < 2; ++again) {
      CHECK_THROWS_WITH_AS(group.rank(0).all_gather(""),
                           "rank 1: the data are broken", CommunicationError);
    }
  }

  TEST_CASE("wakes a rank that waits when another one ends the group") {
    ThreadGroup group(2, kLongSeconds);
    const auto start = std::chrono::steady_clock::now();
    const std::vector<std::string> errors = run_ranks(2, [&](int rank) {
      if (rank == 1) {
        while (group.rank(0).missing_ranks().empty()) std::this_thread::yield();
        group.rank(1).cancel("leaves");
      } else {
        std::vector<double> numbers(1);
        group.rank(0).sum(std::span<double>(numbers));
      }
    });
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;

    CHECK(errors[0] == "rank 1: leaves");
    CHECK(elapsed.count() < kLongSeconds / 2);
  }

  TEST_CASE("refuses sums of as many numbers of another type") {
    ThreadGroup group(2, kLongSeconds);
    const std::vector<std::string> errors = run_ranks(2, [&](int rank) {
      std::vector<float> narrow(3);
      std::vector<double> wide(3);
      if (rank == 0) group.rank(rank).sum(std::span<float>(narrow));
      if (rank == 1) group.rank(rank).sum(std::span<double>(wide));
    });

    CHECK(errors[0] ==
          "rank 1: every rank must sum as many numbers as rank 0, 3 of 4 "
          "bytes; got 3 of 8");
    CHECK(errors[1] == errors[0]);
  }

  TEST_CASE("refuses sums of different sizes, on all ranks alike") {
    ThreadGroup group(2, kLongSeconds);
    const std::vector<std::string> errors = run_ranks(2, [&](int rank) {
      std::vector<double> numbers(rank == 0 ? 3 : 4);
      group.rank(rank).sum(std::span<double>(numbers));
    });

    CHECK(errors[0] ==
          "rank 1: every rank must sum as many numbers as rank 0, 3 of 8 "
          "bytes; got 4 of 8");
    CHECK(errors[1] == errors[0]);
  }

#ifndef MLP_COUNTS_NO_ALLOCATIONS
  TEST_CASE("goes on when a rank has no memory for the texts, and says so") {
    const std::string text(100, 'x');
    ThreadGroup group(3, kLongSeconds);

    const std::vector<std::string> errors = run_ranks(3, [&](int rank) {
      Allreduce& own = group.rank(rank);
      try {
        const mlp::testing::AllocationFailure failure(rank == 1 ? 2 : -1);
        static_cast<void>(own.all_gather(text));
      } catch (const std::bad_alloc& error) {
        own.leave(error);
        throw;
      }
      static_cast<void>(own.all_gather(text));
    });

    const std::string left =
        std::string("rank 1: left: ") + std::bad_alloc().what();
    CHECK(errors ==
          std::vector<std::string>{left, std::bad_alloc().what(), left});
  }

  TEST_CASE("lets a rank leave without memory for the reason") {
    ThreadGroup group(2, kLongSeconds);
    const std::runtime_error error(std::string(100, 'x'));
    {
      const mlp::testing::AllocationFailure failure(0);
      group.rank(1).leave(error);
    }

    CHECK_THROWS_WITH_AS(group.rank(0).all_gather("text"), "rank 1: left",
                         CommunicationError);
  }
#endif
}

}  // namespace mlp::distributed
