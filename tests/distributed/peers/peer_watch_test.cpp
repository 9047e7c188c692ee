// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/peers/peer_watch.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <latch>
#include <optional>
#include <string>
#include <thread>

#include "../ranks.hpp"

namespace mlp::distributed {

namespace {

/// Long enough for what happens at once, on a machine under load too.
constexpr double kSeconds = 20.0;

/// Looks until a rank has left.
PeerWatch::Departure wait_for_departure(PeerWatch& watch) {
  const Stopwatch time;
  while (time.seconds() < kSeconds) {
    if (const auto found = watch.find_departure()) return *found;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  throw Error("no rank has left");
}

}  // namespace

TEST_SUITE("distributed/peers/peer_watch") {
  TEST_CASE("finds no departure while all ranks are there") {
    for (int num_ranks = 1; num_ranks <= 4; ++num_ranks) {
      Meeting meeting(num_ranks);
      std::latch all_looked(num_ranks);
      const auto outcomes = outcomes_of_ranks(num_ranks, [&](int rank) {
        ThreadRendezvous rendezvous(meeting, rank, num_ranks);
        PeerWatch watch(rendezvous, "", kSeconds);
        const bool is_found = watch.find_departure().has_value();
        all_looked.arrive_and_wait();
        if (is_found) throw Error("a rank has left");
      });
      CHECK(sentences(outcomes) == "");
    }
  }

  TEST_CASE("names a rank whose connection was closed, also to late ranks") {
    constexpr int kNumRanks = 3;
    Meeting meeting(kNumRanks);
    const auto outcomes = outcomes_of_ranks(kNumRanks, [&](int rank) {
      ThreadRendezvous rendezvous(meeting, rank, kNumRanks);
      PeerWatch watch(rendezvous, "", kSeconds);
      if (rank == 1) return;
      const PeerWatch::Departure found = wait_for_departure(watch);
      watch.tell(found);
      throw CommunicationError(found.rank, found.sentence);
    });

    CHECK(outcomes[0].sentence == "rank 1: the connection was closed");
    CHECK(outcomes[1].sentence == "");
    CHECK(outcomes[2].sentence == "rank 1: the connection was closed");
  }

  TEST_CASE("passes on why a rank left and which rank caused it") {
    constexpr int kNumRanks = 2;
    Meeting meeting(kNumRanks);
    std::latch done(kNumRanks);
    std::optional<PeerWatch::Departure> found;
    const auto outcomes = outcomes_of_ranks(kNumRanks, [&](int rank) {
      ThreadRendezvous rendezvous(meeting, rank, kNumRanks);
      PeerWatch watch(rendezvous, "", kSeconds);
      if (rank == 0) found = wait_for_departure(watch);
      if (rank == 1) {
        watch.tell({-1, "left: \xc3\xa9 " + std::string(2000, 'x')});
      }
      done.arrive_and_wait();
    });

    CHECK(sentences(outcomes) == "");
    CHECK(found->rank == -1);
    CHECK(found->sentence.starts_with("left: \xc3\xa9 xxx"));
    CHECK(found->sentence.size() == 1024);
  }

  TEST_CASE("tells the others that a rank cannot listen at its address") {
    constexpr int kNumRanks = 2;
    Meeting meeting(kNumRanks);
    const auto outcomes = outcomes_of_ranks(kNumRanks, [&](int rank) {
      ThreadRendezvous rendezvous(meeting, rank, kNumRanks);
      const std::string address = rank == 1 ? "192.0.2.1" : "127.0.0.1";
      const PeerWatch watch(rendezvous, address, kSeconds);
    });

    CHECK(outcomes[1].sentence.starts_with(
        "this rank cannot listen at 192.0.2.1: "));
    CHECK(outcomes[0].sentence.starts_with(
        "rank 1: cannot join: this rank cannot listen at 192.0.2.1: "));
  }
}

}  // namespace mlp::distributed
