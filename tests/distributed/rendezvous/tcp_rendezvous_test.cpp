// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/rendezvous/tcp_rendezvous.hpp"

#include <doctest/doctest.h>

#include <latch>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../gloo/free_port.hpp"
#include "../ranks.hpp"

namespace mlp::distributed {

namespace {

/// Long enough for what happens at once, on a machine under load too.
constexpr double kSeconds = 10.0;

std::vector<Outcome> meet(int num_ranks, int port, const std::string& host) {
  return outcomes_of_ranks(num_ranks, [&](int rank) {
    TcpRendezvous rendezvous(host, port, rank, num_ranks, kSeconds);
    gather_twice(rendezvous);
    if (num_ranks > 1 && rendezvous.local_address().empty()) {
      throw Error("no address");
    }
  });
}

}  // namespace

TEST_SUITE("distributed/rendezvous/tcp_rendezvous") {
  TEST_CASE("gathers the texts of one to four ranks, twice") {
    for (int num_ranks = 1; num_ranks <= 4; ++num_ranks) {
      CHECK(sentences(meet(num_ranks, free_port(), "127.0.0.1")) == "");
    }
    CHECK(sentences(meet(2, free_port(), "localhost")) == "");
  }

  TEST_CASE("waits for a rank 0 that comes last") {
    const int port = free_port();
    std::latch has_called(1);

    const auto outcomes = outcomes_of_ranks(2, [&](int rank) {
      if (rank == 0) {
        has_called.wait();
      } else {
        // Nobody listens yet: the first call is refused for sure.
        std::string reason;
        static_cast<void>(
            connect_once("127.0.0.1", port, deadline_after(1), reason));
        has_called.count_down();
      }
      TcpRendezvous rendezvous("127.0.0.1", port, rank, 2, kSeconds);
      static_cast<void>(rendezvous.all_gather("text"));
    });

    CHECK(sentences(outcomes) == "");
  }

  TEST_CASE("names the rank that did not come, to all") {
    const int port = free_port();

    const auto outcomes = outcomes_of_ranks(2, [&](int rank) {
      TcpRendezvous rendezvous("127.0.0.1", port, rank, 3, 0.3);
    });

    const std::string sentence =
        "rank 2: no word from rank 2 of 3 within 0.3 s; check that all were "
        "started with the address 127.0.0.1:" +
        std::to_string(port);
    CHECK(outcomes[0].sentence == sentence);
    CHECK(outcomes[0].to_blame == 2);
    CHECK(outcomes[1].is_communication_error);
  }

  TEST_CASE("names the rank that leaves between two calls, to all") {
    const int port = free_port();

    const auto outcomes = outcomes_of_ranks(3, [&](int rank) {
      TcpRendezvous rendezvous("127.0.0.1", port, rank, 3, kSeconds);
      if (rank != 1) static_cast<void>(rendezvous.all_gather("text"));
    });

    CHECK(outcomes[0].sentence ==
          "rank 1: closed the connection of the rendezvous");
    CHECK(outcomes[1].sentence == "");
    CHECK(outcomes[2].to_blame == 1);
  }

  TEST_CASE("says what is wrong where nobody listens") {
    const int port = free_port();

    const auto outcomes = outcomes_of_ranks(1, [&](int) {
      TcpRendezvous rendezvous("127.0.0.1", port, 1, 2, 0.1);
    });

    CHECK(outcomes[0].sentence ==
          "rank 0: could not be reached at 127.0.0.1:" + std::to_string(port) +
              " within 0.1 s: Connection refused; check that it runs and that "
              "the address is right");
  }

  TEST_CASE("refuses a worker of another world size and goes on") {
    const int port = free_port();

    const auto outcomes = outcomes_of_ranks(3, [&](int rank) {
      const bool is_stray = rank == 2;
      if (!is_stray) {
        TcpRendezvous rendezvous("127.0.0.1", port, rank, 2, kSeconds);
        static_cast<void>(rendezvous.all_gather("text"));
        return;
      }
      TcpRendezvous rendezvous("127.0.0.1", port, 2, 5, 0.3);
    });

    CHECK(outcomes[0].sentence == "");
    CHECK(outcomes[1].sentence == "");
    CHECK(outcomes[2].is_communication_error);
  }

  TEST_CASE("rejects ranks, sizes, times and ports that cannot be") {
    const auto open = [](int port, int rank, int size, double seconds) {
      return outcomes_of_ranks(1,
                               [&](int) {
                                 TcpRendezvous rendezvous("h", port, rank, size,
                                                          seconds);
                               })[0]
          .sentence;
    };

    CHECK(open(1, 0, 0, 1) == "world size must be 1 or more; got 0");
    CHECK(open(1, 2, 2, 1) ==
          "rank must be 0 .. 1 for a world size of 2; got 2");
    CHECK(open(1, 0, 1, 0) ==
          "timeout in seconds must be above 0 and finite; got 0.000000");
    CHECK(open(65536, 0, 1, 1) ==
          "the port of a rendezvous must be 1 .. 65535; got 65536");
  }
}

}  // namespace mlp::distributed
