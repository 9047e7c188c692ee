// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/rendezvous/open_rendezvous.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "../../../core/error.hpp"
#include "../gloo/free_port.hpp"
#include "../ranks.hpp"

namespace mlp::distributed {

TEST_SUITE("distributed/rendezvous/open_rendezvous") {
  TEST_CASE("opens a folder for a path and a connection for tcp") {
    const std::string port = std::to_string(free_port());

    const auto folder = open_rendezvous("/tmp", 0, 1, 1.0);
    const auto alone = open_rendezvous("tcp://[::1]:7", 0, 1, 1.0);
    const auto outcomes = outcomes_of_ranks(2, [&](int rank) {
      const auto tcp = open_rendezvous("tcp://127.0.0.1:" + port, rank, 2, 10);
      if (tcp->local_address() != "127.0.0.1") throw Error("no address");
    });

    CHECK(folder->local_address() == "");
    CHECK(alone->world_size() == 1);
    CHECK(sentences(outcomes) == "");
  }

  TEST_CASE("rejects places that are neither and says what they may be") {
    for (const std::string where :
         {"", "tcp://", "tcp://host", "tcp://host:", "tcp://host:0",
          "tcp://host:65536", "tcp://host:1x", "tcp://:1", "tcp://::1:7",
          "tcp://a/b:1", "http://host:1", "file:///tmp"}) {
      CHECK_THROWS_WITH_AS(
          static_cast<void>(open_rendezvous(where, 0, 2, 1.0)),
          ("the place where workers meet must be a folder or tcp://HOST:PORT "
           "with PORT in 1 .. 65535, an IPv6 address as tcp://[ADDRESS]:PORT; "
           "got \"" +
           where + '"')
              .c_str(),
          ParamError);
    }
  }
}

}  // namespace mlp::distributed
