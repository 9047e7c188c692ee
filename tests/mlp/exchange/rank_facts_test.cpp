// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/exchange/rank_facts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../distributed/thread_group.hpp"
#include "../../distributed/ranks.hpp"

namespace mlp {

namespace {

constexpr double kDeadlineSeconds = 60.0;

/// What require_equal_facts() throws on each rank.
std::vector<std::string> compare(
    const std::vector<std::vector<RankFacts>>& facts) {
  const auto world_size = static_cast<int>(facts.size());
  distributed::ThreadGroup group(world_size, kDeadlineSeconds);
  return distributed::testing::run_ranks(world_size, [&](int rank) {
    require_equal_facts(group.rank(rank),
                        facts[static_cast<std::size_t>(rank)]);
  });
}

}  // namespace

TEST_SUITE("mlp/exchange/rank_facts") {
  TEST_CASE("accepts facts that are equal on all ranks") {
    const std::vector<RankFacts> facts{{"a 1\n", "do x"}, {"b 2\n", "do y"}};

    CHECK(compare({facts, facts, facts}) == std::vector<std::string>(3));
  }

  TEST_CASE("names the first group that differs, with its advice") {
    const auto errors = compare({{{"a 1\n", "do x"}, {"b 2\nc 3\n", "do y"}},
                                 {{"a 1\n", "do x"}, {"b 2\nc 4\n", "do y"}}});

    for (const std::string& error : errors) {
      CHECK(error == "rank 1: has 'c 4', but rank 0 has 'c 3'; do y");
    }
  }

  TEST_CASE("does not print digests and long lists") {
    const std::string list = "[" + std::string(100, '1') + "]";

    for (const std::string& error :
         compare({{{"initialWeights \n", "do x"}},
                  {{"initialWeights " + list + '\n', "do x"}}})) {
      CHECK(error == "rank 1: differs from rank 0 in 'initialWeights'; do x");
    }
  }

  TEST_CASE("leaves out ranks without facts") {
    const RankFacts none{"", "do x"};

    CHECK(compare({{none}, {{"a 1\n", "do x"}}, {none}, {{"a 1\n", "do x"}}}) ==
          std::vector<std::string>(4));
    for (const std::string& error :
         compare({{none}, {{"a 1\n", "do x"}}, {{"a 2\n", "do x"}}})) {
      CHECK(error == "rank 2: has 'a 2', but rank 1 has 'a 1'; do x");
    }
  }

  TEST_CASE("names a rank that sends something else") {
    distributed::ThreadGroup group(2, kDeadlineSeconds);
    const auto errors = distributed::testing::run_ranks(2, [&](int rank) {
      if (rank == 1) {
        static_cast<void>(group.rank(1).all_gather("hello"));
      } else {
        require_equal_facts(group.rank(0), {{"a 1\n", "do x"}});
      }
    });

    CHECK(errors[0] ==
          "rank 1: must send 64 bytes about its facts; got 5; run the same "
          "program on every rank");
    CHECK(errors[1] == "");
  }
}

}  // namespace mlp
