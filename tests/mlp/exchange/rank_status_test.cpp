// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/exchange/rank_status.hpp"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../../distributed/thread_group.hpp"
#include "../../distributed/ranks.hpp"

namespace mlp {

namespace {

constexpr double kDeadlineSeconds = 60.0;

/// Runs a step on three ranks and gives what check() threw on each.
std::vector<std::string> check_step(
    const std::function<void(int rank)>& work,
    const std::function<Vector(int rank)>& weights_of) {
  distributed::ThreadGroup group(3, kDeadlineSeconds);
  return distributed::testing::run_ranks(3, [&](int rank) {
    RankStatus status(0.5 * rank, weights_of(rank));
    status.run([&] { work(rank); });
    std::array<double, RankStatus::kSize> numbers{};
    status.write(numbers);
    group.rank(rank).sum(std::span<double>(numbers));
    status.check(numbers, group.rank(rank), 4);
    CHECK(RankStatus::total_weight(numbers) == 1.5);
  });
}

Vector same_weights(int /*rank*/) { return Vector::LinSpaced(10, 0.0, 1.0); }

void do_nothing(int /*rank*/) {}

}  // namespace

TEST_SUITE("mlp/exchange/rank_status") {
  TEST_CASE("lets all ranks go on where all fared well") {
    CHECK(check_step(do_nothing, same_weights) == std::vector<std::string>(3));
  }

  TEST_CASE("stops all ranks where one stops") {
    const auto errors = check_step(
        [](int rank) {
          if (rank == 1) throw optim::Interrupted();
        },
        same_weights);

    for (const std::string& error : errors) {
      CHECK(error == optim::Interrupted().what());
    }
  }

  TEST_CASE("tells all ranks which one failed and why") {
    const auto errors = check_step(
        [](int rank) {
          if (rank == 1) throw std::runtime_error("no memory");
        },
        same_weights);

    CHECK(errors[1] == "no memory");
    CHECK(errors[0] == "rank 1: failed in step 4: no memory");
    CHECK(errors[2] == errors[0]);
  }

  TEST_CASE("detects weights that differ by one bit on one rank") {
    const auto errors = check_step(do_nothing, [](int rank) {
      Vector weights = same_weights(rank);
      if (rank == 2) weights[3] = std::nextafter(weights[3], 1.0);
      return weights;
    });

    for (const std::string& error : errors) {
      CHECK(error.find("the weights of the ranks must be the same in step 4") ==
            0);
    }
  }

  TEST_CASE("asks for another try where one rank does") {
    RankStatus status(1.0, same_weights(0));
    std::array<double, RankStatus::kSize> numbers{};

    status.write(numbers);
    CHECK_FALSE(RankStatus::has_misfit(numbers));
    status.set_misfit(true);
    status.write(numbers);
    CHECK(RankStatus::has_misfit(numbers));
  }
}

}  // namespace mlp
