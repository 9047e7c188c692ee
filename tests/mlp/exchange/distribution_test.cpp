// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/exchange/distribution.hpp"

#include <doctest/doctest.h>

#include "../../../core/error.hpp"
#include "../../../distributed/identity.hpp"
#include "../../../distributed/thread_group.hpp"
#include "../../../mlp/training/fit_options.hpp"

namespace mlp {

TEST_SUITE("mlp/exchange/distribution") {
  TEST_CASE("has no group and sends nothing unless it is told otherwise") {
    const FitOptions options;

    CHECK(options.distribution.allreduce == nullptr);
    CHECK_FALSE(options.distribution.is_reproducible);
    CHECK(options.distribution.partition_sizes.empty());
    CHECK(options.distribution.plan == ExchangePlan{});
    CHECK_FALSE(options.distribution.is_autotuned);
    CHECK_FALSE(options.distribution.may_round_gradients);
    CHECK(options.distribution.timeline == nullptr);
  }

  TEST_CASE("adds over ranks only where there are others") {
    distributed::Identity alone;
    distributed::ThreadGroup group(2);
    Distribution distribution;

    distribution.allreduce = &alone;
    CHECK(summation_of(distribution) == Summation::kOwn);
    distribution.allreduce = &group.rank(0);
    CHECK(summation_of(distribution) == Summation::kOverRanks);
  }

  TEST_CASE("adds exactly on any number of ranks where it is reproducible") {
    distributed::Identity alone;
    distributed::ThreadGroup group(2);
    Distribution distribution;
    distribution.is_reproducible = true;

    distribution.allreduce = &alone;
    CHECK(summation_of(distribution) == Summation::kExact);
    distribution.allreduce = &group.rank(0);
    CHECK(summation_of(distribution) == Summation::kExact);
  }

  TEST_CASE("rejects autotuning of a reproducible training") {
    Distribution distribution;
    distribution.is_autotuned = true;
    CHECK_NOTHROW(check_distribution(distribution));

    distribution.is_reproducible = true;

    CHECK_THROWS_WITH_AS(
        check_distribution(distribution),
        "autotune must be off with reproducible, whose bits must not depend on "
        "measured times; got both; use only one of them",
        ParamError);
  }

  TEST_CASE("rejects rounding of a reproducible training") {
    Distribution distribution;
    distribution.plan.wire = WireType::kFloat16;
    CHECK_NOTHROW(check_distribution(distribution));

    distribution.is_reproducible = true;

    CHECK_THROWS_WITH_AS(check_distribution(distribution),
                         "wire must be asComputed with reproducible, which "
                         "sends exact sums; got float16",
                         ParamError);
  }
}

}  // namespace mlp
