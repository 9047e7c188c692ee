// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Sums over many processes of this machine whose messages are delayed by relays:
// around the ring and by halving, in turn. Prints a line of JSON.
//
//   mlp_delayed_sums RANKS BYTES MILLISECONDS SUMS

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/temporary_folder.hpp"
#include "../../distributed/gloo/gloo_allreduce.hpp"
#include "../../distributed/gloo/sum_steps.hpp"
#include "../../distributed/rendezvous/directory_rendezvous.hpp"
#include "../../distributed/rendezvous/rank_identity.hpp"
#include "../worker/worker.hpp"
#include "delaying_relay.hpp"

namespace mlp::bench {
namespace {

using distributed::SumOrder;
using Clock = std::chrono::steady_clock;

constexpr double kMeetSeconds = 120.0;

struct Setting {
  int num_ranks = 0;
  std::size_t num_bytes = 0;
  std::chrono::microseconds delay{};
  int num_sums = 0;
};

/// Tells the others the endpoint of a relay instead of the rank's own.
class RelayedRendezvous final : public distributed::Rendezvous {
 public:
  RelayedRendezvous(distributed::Rendezvous& real, Clock::duration delay)
      : real_(real), delay_(delay) {}

  [[nodiscard]] int rank() const override { return real_.rank(); }
  [[nodiscard]] int world_size() const override { return real_.world_size(); }
  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override {
    const auto endpoint = distributed::parse_endpoint(text);
    if (!endpoint) return real_.all_gather(text);
    relay_.emplace(*endpoint, delay_);
    return real_.all_gather(distributed::format_endpoint(relay_->endpoint()));
  }

 private:
  distributed::Rendezvous& real_;
  Clock::duration delay_;
  std::optional<DelayingRelay> relay_;
};

/// A rank of a group whose sums all have one order.
class DelayedRank {
 public:
  DelayedRank(const std::string& folder, int rank, const Setting& setting,
              SumOrder order)
      : real_(folder, rank, setting.num_ranks, kMeetSeconds),
        relayed_(real_, setting.delay),
        numbers_(setting.num_bytes / sizeof(double)) {
    distributed::GlooOptions options;
    options.connect_seconds = kMeetSeconds;
    options.step_seconds = order == SumOrder::kRing ? 0.0 : 1e6;
    options.address = "127.0.0.1";
    options.secret = std::string(distributed::kSecretBytes, 's');
    group_ = distributed::make_gloo_allreduce(relayed_, options);
  }

  /// Returns the seconds of a sum of ones, after all ranks have met.
  double sum() {
    std::vector<double> one(1, 1.0);
    group_->sum(std::span<double>(one));
    std::fill(numbers_.begin(), numbers_.end(), 1.0);
    const Clock::time_point start = Clock::now();
    group_->sum(std::span<double>(numbers_));
    const std::chrono::duration<double> elapsed = Clock::now() - start;
    for (const double number : numbers_) {
      if (number != group_->world_size()) throw Error("a sum is wrong");
    }
    return elapsed.count();
  }

 private:
  distributed::DirectoryRendezvous real_;
  RelayedRendezvous relayed_;
  std::vector<double> numbers_;
  std::unique_ptr<distributed::Allreduce> group_;
};

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(
      share * static_cast<double>(values.size() - 1))];
}

void serve_rank(const std::string& folder, int rank, const Setting& setting) {
  DelayedRank ring(folder + "/ring", rank, setting, SumOrder::kRing);
  DelayedRank halving(folder + "/halving", rank, setting, SumOrder::kHalving);
  std::vector<double> ring_seconds;
  std::vector<double> halving_seconds;
  std::vector<double> ratios;
  for (int i = 0; i < setting.num_sums; ++i) {
    ring_seconds.push_back(ring.sum());
    halving_seconds.push_back(halving.sum());
    ratios.push_back(halving_seconds.back() / ring_seconds.back());
  }
  if (rank != 0) return;
  const auto steps = [&](SumOrder order) {
    return distributed::SumSteps(order, 1, 0, setting.num_ranks).num_steps();
  };
  std::cout << "{\"ranks\": " << setting.num_ranks
            << ", \"bytes\": " << setting.num_bytes << ", \"delay_seconds\": "
            << std::chrono::duration<double>(setting.delay).count()
            << ", \"ring_steps\": " << steps(SumOrder::kRing)
            << ", \"ring_seconds\": " << percentile(ring_seconds, 0.5)
            << ", \"halving_steps\": " << steps(SumOrder::kHalving)
            << ", \"halving_seconds\": " << percentile(halving_seconds, 0.5)
            << ", \"halving_by_ring\": " << percentile(ratios, 0.5)
            << ", \"p10\": " << percentile(ratios, 0.1)
            << ", \"p90\": " << percentile(ratios, 0.9) << "}\n";
}

/// Runs a rank in a process of its own.
pid_t fork_rank(const std::string& folder, int rank, const Setting& setting) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int status = 1;
  try {
    serve_rank(folder, rank, setting);
    std::cout.flush();
    status = 0;
  } catch (const std::exception& error) {
    std::cerr << "rank " << rank << ": " << error.what() << '\n';
  }
  ::_exit(status);
}

int run(const Arguments& arguments) {
  Setting setting;
  setting.num_ranks = static_cast<int>(count_argument(arguments, 0, "RANKS"));
  setting.num_bytes =
      static_cast<std::size_t>(count_argument(arguments, 1, "BYTES"));
  setting.delay =
      std::chrono::milliseconds(count_argument(arguments, 2, "MILLISECONDS"));
  setting.num_sums = static_cast<int>(count_argument(arguments, 3, "SUMS"));
  const TemporaryFolder folder("mlp-bench-");
  for (const char* name : {"ring", "halving"}) {
    std::filesystem::create_directory(folder.path() / name);
  }
  std::vector<pid_t> children;
  for (int rank = 0; rank < setting.num_ranks; ++rank) {
    children.push_back(fork_rank(folder.path().string(), rank, setting));
  }
  bool is_whole = true;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    is_whole = is_whole && status == 0;
  }
  return is_whole ? 0 : 1;
}

}  // namespace
}  // namespace mlp::bench

int main(int num_words, char** words) {
  return mlp::bench::run_program("mlp_delayed_sums", num_words, words,
                                 &mlp::bench::run);
}
