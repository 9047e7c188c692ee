// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../distributed/allreduce.hpp"
#include "../worker/clocks.hpp"
#include "../worker/worker.hpp"

namespace mlp::bench {

/// What all ranks of a group do at the same time, again and again.
class RankWork {
 public:
  virtual ~RankWork() = default;

  /// Does it once.
  ///
  /// \param i  counts from 0 within a run
  virtual void do_once(long i) = 0;

  /// What both sides of a comparison must agree on, after the first time.
  [[nodiscard]] virtual std::vector<std::pair<std::string, double>> values()
      const = 0;
};

/// What calls took one by one. Their median does not see the moments at which
/// the system ran something else.
class CallTimes {
 public:
  template <typename Call>
  void time(const Call& call) {
    const double start = read_clock(CLOCK_MONOTONIC);
    call();
    seconds_.push_back(read_clock(CLOCK_MONOTONIC) - start);
  }

  /// \pre time() was called
  [[nodiscard]] double median_seconds() {
    const auto middle =
        seconds_.begin() + static_cast<std::ptrdiff_t>(seconds_.size() / 2);
    std::nth_element(seconds_.begin(), middle, seconds_.end());
    return *middle;
  }

 private:
  std::vector<double> seconds_;
};

/// Gives every rank the number of rank 0; the others' are 0.
using Share = std::function<void(double& number)>;

/// Shares by the group itself.
[[nodiscard]] inline Share share_by(distributed::Allreduce& group) {
  return [&group](double& number) { group.sum(std::span<double>(&number, 1)); };
}

/// Works as LeadRank asks, as every rank but 0, until its end.
inline void follow(RankWork& work, const Share& share) {
  for (;;) {
    double repeats = 0.0;
    share(repeats);
    if (repeats == 0.0) return;
    for (long i = 0; i < std::lround(repeats); ++i) work.do_once(i);
  }
}

/// Works as rank 0 of a group whose other ranks follow().
class LeadRank final : public Task {
 public:
  /// \param work  must outlive this object
  LeadRank(RankWork& work, Share share)
      : work_(work), share_(std::move(share)) {
    tell(1);
    work_.do_once(0);
    values_ = work_.values();
  }

  LeadRank(const LeadRank&) = delete;
  LeadRank& operator=(const LeadRank&) = delete;

  ~LeadRank() override {
    try {
      tell(0);
    } catch (const std::exception&) {
      // The others are gone already.
    }
  }

  Sample run(long repeats) override {
    tell(repeats);
    CallTimes times;
    Sample sample;
    const Stopwatch watch;
    for (long i = 0; i < repeats; ++i) {
      times.time([&] { work_.do_once(i); });
    }
    sample.duration = watch.elapsed();
    sample.values = values_;
    sample.values.emplace_back("median_seconds", times.median_seconds());
    return sample;
  }

 private:
  /// \param repeats  what comes; 0 ends it
  void tell(long repeats) {
    auto number = static_cast<double>(repeats);
    share_(number);
  }

  RankWork& work_;
  Share share_;
  std::vector<std::pair<std::string, double>> values_;
};

/// Serves work over a pipe as rank 0, and follows it as any other rank.
inline void serve_ranks(int rank, RankWork& work, const Share& share) {
  if (rank != 0) return follow(work, share);
  LeadRank task(work, share);
  serve(task);
}

}  // namespace mlp::bench
