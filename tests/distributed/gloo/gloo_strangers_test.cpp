// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../distributed/gloo/gloo_allreduce.hpp"
#include "../../../distributed/peers/tcp_socket.hpp"
#include "../../../distributed/rendezvous/endpoint.hpp"
#include "../ranks.hpp"
#include "gloo_of_build.hpp"

namespace mlp::distributed {

namespace {

/// A rendezvous at which a stranger learns where the ranks listen, and connects
/// to each of them before the other ranks do.
class OverheardRendezvous final : public Rendezvous {
 public:
  OverheardRendezvous(Meeting& meeting, int rank, int world_size)
      : meeting_(meeting), rank_(rank), world_size_(world_size) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int world_size() const override { return world_size_; }
  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override {
    const std::vector<std::string> texts = meeting_.gather(rank_, text);
    for (const std::string& each : texts) {
      if (const auto endpoint = parse_endpoint(each)) intrude(*endpoint);
    }
    static_cast<void>(meeting_.gather(rank_, ""));  // after all intrusions
    return texts;
  }
  [[nodiscard]] std::size_t num_intrusions() const { return strangers_.size(); }

 private:
  /// Sends a message of Gloo for a buffer that nobody has: six numbers, the
  /// second of which says so.
  void intrude(const Endpoint& endpoint) {
    const detail::SystemEndpoint to(endpoint);
    strangers_.push_back(detail::make_socket(to));
    ::connect(strangers_.back().descriptor(), to.get(), to.size);
    std::array<std::uint64_t, 1000> numbers{};
    numbers.fill(1);
    static_cast<void>(detail::send_whole(
        strangers_.back(), {reinterpret_cast<const char*>(numbers.data()),
                            numbers.size() * sizeof numbers[0]}));
  }

  Meeting& meeting_;
  int rank_;
  int world_size_;
  std::vector<Socket> strangers_;
};

}  // namespace

TEST_SUITE("distributed/gloo/gloo_strangers") {
  TEST_CASE("adds right sums although strangers connect to all ranks first") {
    if (is_skipped()) return;
    const GlooOptions options = options_of_build();
    constexpr int kNumRanks = 3;
    Meeting meeting(kNumRanks);

    const auto outcomes = outcomes_of_ranks(kNumRanks, [&](int rank) {
      OverheardRendezvous rendezvous(meeting, rank, kNumRanks);
      const auto group = make_gloo_allreduce(rendezvous, options);
      if (rendezvous.num_intrusions() != kNumRanks) throw Error("no stranger");
      for (int i = 0; i < 100; ++i) {
        std::array<double, 2> numbers{1.0, double(rank)};
        group->sum(std::span<double>(numbers));
        if (numbers != std::array{3.0, 3.0}) throw Error("a wrong sum");
      }
    });

    CHECK(sentences(outcomes) == "");
  }
}

}  // namespace mlp::distributed
