// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/rendezvous/rendezvous.hpp"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "../../../distributed/allreduce.hpp"
#include "../../../distributed/identity.hpp"

namespace mlp::distributed {

TEST_SUITE("distributed/rendezvous/rendezvous") {
  TEST_CASE("is what every group that sums can serve as") {
    Identity identity;
    Rendezvous& rendezvous = identity;

    CHECK(std::is_base_of_v<Rendezvous, Allreduce>);
    CHECK(rendezvous.all_gather("address") ==
          std::vector<std::string>{"address"});
    CHECK(rendezvous.rank() == 0);
    CHECK(rendezvous.world_size() == 1);
    CHECK(rendezvous.local_address().empty());
  }

  TEST_CASE("gives many ranks more time to meet") {
    CHECK(meeting_seconds(2) == 60.0);
    CHECK(meeting_seconds(64) == 60.0);
    CHECK(meeting_seconds(1024) == 960.0);
  }

  TEST_CASE("writes ranks and seconds as people do") {
    CHECK(list_ranks({3}) == "rank 3");
    CHECK(list_ranks({1, 2, 5}) == "ranks 1, 2, 5");
    CHECK(seconds_text(0.3) == "0.3");
    CHECK(seconds_text(60) == "60");
  }
}

}  // namespace mlp::distributed
