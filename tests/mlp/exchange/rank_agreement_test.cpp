// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/exchange/rank_agreement.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../distributed/thread_group.hpp"
#include "../../distributed/ranks.hpp"

namespace mlp {

namespace {

constexpr double kDeadlineSeconds = 60.0;

/// What agree() gives or throws on each rank.
struct Outcome {
  std::vector<std::vector<Index>> sizes;
  std::vector<std::string> errors;
};

Outcome agree_on(const std::vector<RankReport>& reports) {
  const auto world_size = static_cast<int>(reports.size());
  distributed::ThreadGroup group(world_size, kDeadlineSeconds);
  Outcome outcome;
  outcome.sizes.resize(reports.size());
  outcome.errors = distributed::testing::run_ranks(world_size, [&](int rank) {
    const auto at = static_cast<std::size_t>(rank);
    outcome.sizes[at] = agree(group.rank(rank), reports[at]);
  });
  return outcome;
}

}  // namespace

TEST_SUITE("mlp/exchange/rank_agreement") {
  TEST_CASE("gives every rank the sizes of all") {
    const Outcome outcome =
        agree_on({{"a 1\n", 5, "", ""}, {"a 1\n", 0, "", ""}});

    CHECK(outcome.errors == std::vector<std::string>(2));
    CHECK(outcome.sizes == std::vector<std::vector<Index>>{{5, 0}, {5, 0}});
  }

  TEST_CASE("names the first rank that differs and the first line") {
    const Outcome outcome = agree_on({{"a 1\nb 2\n", 1, "", ""},
                                      {"a 1\nb 2\n", 1, "", ""},
                                      {"a 1\nb 3\n", 1, "", ""}});

    for (const std::string& error : outcome.errors) {
      CHECK(error ==
            "rank 2: has 'b 3', but rank 0 has 'b 2'; give every rank the same "
            "options and the same version");
    }
  }

  TEST_CASE("compares the columns of ranks that have instances") {
    const Outcome outcome = agree_on({{"a 1\n", 0, "", ""},
                                      {"a 1\n", 1, "", "x\n"},
                                      {"a 1\n", 1, "", "y\n"}});

    for (const std::string& error : outcome.errors) {
      CHECK(error ==
            "rank 2: has 'y', but rank 1 has 'x'; give every rank the same "
            "columns in the same order");
    }
  }

  TEST_CASE("passes on the first refusal before it compares") {
    const Outcome outcome =
        agree_on({{"a 1\n", 1, "", ""}, {"", 0, "x.csv: is empty", ""}});

    for (const std::string& error : outcome.errors) {
      CHECK(error == "rank 1: cannot train: x.csv: is empty");
    }
  }

  TEST_CASE("names a rank that sends something else") {
    distributed::ThreadGroup group(2, kDeadlineSeconds);
    const auto errors = distributed::testing::run_ranks(2, [&](int rank) {
      if (rank == 1) {
        static_cast<void>(group.rank(1).all_gather("hello"));
      } else {
        static_cast<void>(agree(group.rank(0), {"a 1\n", 1, "", ""}));
      }
    });

    CHECK(errors[0].find("rank 1: its report: ") == 0);
    CHECK(errors[1] == "");
  }
}

}  // namespace mlp
