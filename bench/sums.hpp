// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "../distributed/allreduce.hpp"
#include "clocks.hpp"
#include "worker.hpp"

namespace mlp::bench {

/// The numbers that ranks sum again and again, in place.
///
/// Each sum of a few ranks multiplies them by as many. They start so small, and
/// are renewed so often, that they stay finite, and never are so small that the
/// processor would be slow.
class SummedNumbers {
 public:
  /// \param num_bytes  >= 8; of doubles
  explicit SummedNumbers(long num_bytes)
      : numbers_(static_cast<std::size_t>(num_bytes) / sizeof(double)) {}

  /// \return the numbers for sum `i` of a run
  [[nodiscard]] std::span<double> of_sum(long i) {
    constexpr long kNumSums = 400;
    if (i % kNumSums == 0) renew();
    return numbers_;
  }

 private:
  void renew() {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      numbers_[i] = 1e-150 * (1.0 + static_cast<double>(i % 97));
    }
  }

  std::vector<double> numbers_;
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

/// Does what LeadSums asks for, as every rank but 0, until its end.
inline void follow_sums(distributed::Allreduce& group, long num_bytes,
                        const Share& share) {
  SummedNumbers numbers(num_bytes);
  for (;;) {
    double repeats = 0.0;
    share(repeats);
    if (repeats == 0.0) return;
    for (long i = 0; i < std::lround(repeats); ++i) {
      group.sum(numbers.of_sum(i));
    }
  }
}

/// Sums as rank 0 of a group whose other ranks are in follow_sums().
class LeadSums final : public Task {
 public:
  /// \param group  must outlive this object
  LeadSums(distributed::Allreduce& group, long num_bytes, Share share)
      : group_(group), numbers_(num_bytes), share_(std::move(share)) {
    // What both sides of a comparison must agree on.
    const std::span<double> numbers = numbers_.of_sum(0);
    tell(1);
    group_.sum(numbers);
    for (const double number : numbers) sum_ += number;
  }

  LeadSums(const LeadSums&) = delete;
  LeadSums& operator=(const LeadSums&) = delete;

  ~LeadSums() override {
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
      const std::span<double> numbers = numbers_.of_sum(i);
      times.time([&] { group_.sum(numbers); });
    }
    sample.duration = watch.elapsed();
    sample.values = {{"median_seconds", times.median_seconds()}, {"sum", sum_}};
    return sample;
  }

 private:
  /// \param repeats  the sums that come; 0 ends it
  void tell(long repeats) {
    auto number = static_cast<double>(repeats);
    share_(number);
  }

  distributed::Allreduce& group_;
  SummedNumbers numbers_;
  Share share_;
  double sum_ = 0.0;
};

/// Serves sums over a pipe as rank 0, and follows it as any other rank.
inline void serve_sums(distributed::Allreduce& group, long num_bytes,
                       const Share& share) {
  if (group.rank() != 0) return follow_sums(group, num_bytes, share);
  LeadSums task(group, num_bytes, share);
  serve(task);
}

}  // namespace mlp::bench
