// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/peers/peer_connector.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../ranks.hpp"

namespace mlp::distributed {

namespace {

/// The listeners of all ranks.
struct Ranks {
  std::vector<std::unique_ptr<Listener>> listeners;
  std::vector<Endpoint> endpoints;

  explicit Ranks(int num_ranks) {
    for (int r = 0; r < num_ranks; ++r) {
      listeners.push_back(std::make_unique<Listener>("127.0.0.1"));
      endpoints.push_back(listeners.back()->endpoint());
    }
  }

  [[nodiscard]] std::vector<Socket> connect(
      int rank, double seconds,
      const std::string& secret = std::string(kSecretBytes, 's')) const {
    const auto size = static_cast<int>(endpoints.size());
    return connect_with(all_others(rank, size), rank, seconds, secret);
  }

  [[nodiscard]] std::vector<Socket> connect_with(
      const std::set<int>& partners, int rank, double seconds,
      const std::string& secret = std::string(kSecretBytes, 's')) const {
    const PeerPlan plan{rank, endpoints, secret, seconds, partners};
    return PeerConnector(plan, *listeners.at(static_cast<std::size_t>(rank)))
        .connect();
  }
};

/// Connects to a rank and sends something.
Socket intrude(const Endpoint& endpoint, const std::string& bytes) {
  const detail::SystemEndpoint to(endpoint);
  Socket socket = detail::make_socket(to);
  ::connect(socket.descriptor(), to.get(), to.size);
  pollfd waiting{socket.descriptor(), POLLOUT, 0};
  ::poll(&waiting, 1, 10'000);
  static_cast<void>(detail::send_whole(socket, bytes));
  return socket;
}

/// Long enough for what happens at once, on a machine under load too.
constexpr double kSeconds = 20.0;

}  // namespace

TEST_SUITE("distributed/peers/peer_connector") {
  TEST_CASE("connects partners only") {
    const Ranks ranks(4);

    CHECK(sentences(outcomes_of_ranks(4, [&](int rank) {
            const std::vector<Socket> peers = ranks.connect_with(
                {(rank + 1) % 4, (rank + 3) % 4}, rank, kSeconds);
            for (int r = 0; r < 4; ++r) {
              const bool is_partner = (r + rank) % 2 == 1;
              if (peers[static_cast<std::size_t>(r)].is_open() != is_partner) {
                throw Error("wrong connection to " + std::to_string(r));
              }
            }
          })) == "");
  }

  TEST_CASE("ignores a rank that is no partner") {
    const Ranks ranks(3);

    const auto outcomes = outcomes_of_ranks(3, [&](int rank) {
      if (rank == 2) static_cast<void>(ranks.connect(2, 0.5));
      if (rank < 2) {
        static_cast<void>(ranks.connect_with({1 - rank}, rank, kSeconds));
      }
    });

    CHECK(outcomes[0].sentence + outcomes[1].sentence == "");
    CHECK(outcomes[2].is_communication_error);
  }

  TEST_CASE("connects all pairs of one to six ranks, each with its peer") {
    for (int num_ranks = 1; num_ranks <= 6; ++num_ranks) {
      const Ranks ranks(num_ranks);

      CHECK(sentences(outcomes_of_ranks(num_ranks, [&](int rank) {
              const std::vector<Socket> peers = ranks.connect(rank, kSeconds);
              for (int r = 0; r < num_ranks; ++r) {
                if (r == rank) continue;
                const Socket& peer = peers[static_cast<std::size_t>(r)];
                if (!detail::send_whole(peer, std::string(1, char('0' + rank))))
                  throw Error("not sent");
                pollfd waiting{peer.descriptor(), POLLIN, 0};
                ::poll(&waiting, 1, 10'000);
                char byte = 0;
                ::recv(peer.descriptor(), &byte, 1, 0);
                if (byte != '0' + r) throw Error("another rank");
              }
            })) == "");
    }
  }

  TEST_CASE("connects its ranks although strangers came first") {
    const Ranks ranks(2);
    std::vector<Socket> strangers;
    for (int i = 0; i < 100; ++i) {
      strangers.push_back(intrude(ranks.endpoints[0], ""));
    }
    strangers.push_back(intrude(ranks.endpoints[0], std::string(1000, '\0')));
    strangers.push_back(intrude(ranks.endpoints[0], "GET / HTTP/1.1\r\n\r\n"));
    strangers.push_back(
        intrude(ranks.endpoints[0],
                format_hello({1, 0, 2, std::string(kNonceBytes, 'n')}) +
                    std::string(kProofBytes, 'p')));

    CHECK(sentences(outcomes_of_ranks(2, [&](int rank) {
            static_cast<void>(ranks.connect(rank, kSeconds));
          })) == "");
  }

  TEST_CASE("ends in time where only strangers come, and counts them") {
    const Ranks ranks(2);
    const Socket silent = intrude(ranks.endpoints[0], "");
    const Socket loud = intrude(ranks.endpoints[0], std::string(200, 'x'));
    const Stopwatch watch;

    CHECK_THROWS_WITH_AS(
        ranks.connect(0, 0.3),
        ("rank 1: cannot join: rank 1 must connect to rank 0 at " +
         ranks.endpoints[0].text() +
         " or answer it within 0.3 s; got no proof that they belong to the "
         "group, and 1 connections of others; check that no firewall is "
         "between, and run again")
            .c_str(),
        CommunicationError);
    CHECK(watch.seconds() < 0.3 + 5.0);
  }

  TEST_CASE("keeps out a rank of another group") {
    const Ranks ranks(2);

    const auto outcomes = outcomes_of_ranks(2, [&](int rank) {
      static_cast<void>(ranks.connect(
          rank, 1.5, std::string(kSecretBytes, rank == 0 ? 's' : 't')));
    });

    CHECK(outcomes[0].to_blame == 1);
    CHECK(outcomes[1].sentence ==
          "rank 0: cannot join: whoever answers at " +
              ranks.endpoints[0].text() +
              " does not know the secret of this group; run again");
  }
}

}  // namespace mlp::distributed
