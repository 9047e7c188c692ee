// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/exchange/exchange_tuner.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "../../../distributed/identity.hpp"
#include "../../../distributed/thread_group.hpp"
#include "../../distributed/ranks.hpp"

namespace mlp {

namespace {

constexpr Index kMebibyte = Index{1} << 20;
constexpr double kDeadlineSeconds = 60.0;

/// Seconds that a step of a plan takes on a rank.
using Cost =
    std::function<double(int rank, const ExchangePlan& plan, int step)>;

/// Runs tuners until all are done.
///
/// \return what each rank chose   [world_size]
std::vector<ExchangePlan> tune(int world_size, Index gradient_bytes,
                               int num_threads, const Cost& cost) {
  distributed::ThreadGroup group(world_size, kDeadlineSeconds);
  std::vector<ExchangePlan> chosen(static_cast<std::size_t>(world_size));
  const auto errors =
      distributed::testing::run_ranks(world_size, [&](int rank) {
        Distribution distribution;
        distribution.allreduce = &group.rank(rank);
        distribution.may_round_gradients = true;
        double now = 1000.0 * rank;
        ExchangeTuner tuner(distribution, gradient_bytes, num_threads,
                            [&] { return now; });
        for (int step = 0; !tuner.is_done(); ++step) {
          tuner.begin_step();
          now += cost(rank, tuner.plan(), step);
          tuner.end_step();
          now += 7.0;  // between steps, which does not count
        }
        chosen[static_cast<std::size_t>(rank)] = tuner.plan();
      });
  CHECK(errors ==
        std::vector<std::string>(static_cast<std::size_t>(world_size)));
  return chosen;
}

}  // namespace

TEST_SUITE("mlp/exchange/exchange_tuner") {
  TEST_CASE("tries buckets smaller than the gradient, and the whole") {
    distributed::Identity alone;
    Distribution distribution;
    distribution.allreduce = &alone;

    const ExchangeTuner tuner(distribution, 4 * kMebibyte, 1);

    CHECK(tuner.plans() ==
          std::vector<ExchangePlan>{{kMebibyte / 4, WireType::kAsComputed, 0},
                                    {kMebibyte, WireType::kAsComputed, 0},
                                    {0, WireType::kAsComputed, 0}});
    CHECK_FALSE(tuner.is_done());
  }

  TEST_CASE("tries rounding where it may and one thread where there are more") {
    distributed::Identity alone;
    Distribution distribution;
    distribution.allreduce = &alone;
    distribution.may_round_gradients = true;

    const ExchangeTuner tuner(distribution, 1000, 4);

    CHECK(tuner.plans() ==
          std::vector<ExchangePlan>{{0, WireType::kAsComputed, 0},
                                    {0, WireType::kBfloat16, 0},
                                    {0, WireType::kAsComputed, 1},
                                    {0, WireType::kBfloat16, 1}});
  }

  TEST_CASE("has nothing to try where there is one plan") {
    distributed::Identity alone;
    Distribution distribution;
    distribution.allreduce = &alone;
    distribution.plan = {5, WireType::kFloat16, 1};
    distribution.may_round_gradients = true;

    const ExchangeTuner tuner(distribution, 1000, 4);

    CHECK(tuner.is_done());
    CHECK(tuner.plan() == ExchangePlan{0, WireType::kFloat16, 1});
  }

  TEST_CASE("chooses what is fastest on all ranks together, on all alike") {
    // Rank 0 alone would choose the whole, 1 s; together 4 MiB win with 5 s.
    const auto chosen = tune(
        3, 100 * kMebibyte, 1, [](int rank, const ExchangePlan& plan, int) {
          if (plan.bucket_bytes == 4 * kMebibyte &&
              plan.wire == WireType::kAsComputed) {
            return rank == 0 ? 3.0 : 1.0;
          }
          return rank == 0 && plan.bucket_bytes == 0 ? 1.0 : 4.0;
        });

    for (const ExchangePlan& plan : chosen) {
      CHECK(plan == ExchangePlan{4 * kMebibyte, WireType::kAsComputed, 0});
    }
  }

  TEST_CASE("counts neither the first steps nor a slow one among five") {
    const auto chosen =
        tune(2, 1000, 2, [](int, const ExchangePlan& plan, int step) {
          const bool is_best =
              plan.wire == WireType::kBfloat16 && plan.num_threads == 1;
          if (step < ExchangeTuner::kWarmUpSteps) return 50.0;
          if (is_best && step % ExchangeTuner::kStepsPerPlan == 0) return 90.0;
          return is_best ? 1.0 : 2.0;
        });

    CHECK(chosen[0] == ExchangePlan{0, WireType::kBfloat16, 1});
    CHECK(chosen[1] == chosen[0]);
  }

  TEST_CASE("tries one thread where any rank has more") {
    distributed::ThreadGroup group(2, kDeadlineSeconds);
    std::vector<std::size_t> num_plans(2);
    distributed::testing::run_ranks(2, [&](int rank) {
      Distribution distribution;
      distribution.allreduce = &group.rank(rank);
      const ExchangeTuner tuner(distribution, 1000, rank + 1);
      num_plans[static_cast<std::size_t>(rank)] = tuner.plans().size();
    });

    CHECK(num_plans == std::vector<std::size_t>{2, 2});
  }
}

}  // namespace mlp
