// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "../../core/types.hpp"
#include "../../distributed/allreduce.hpp"
#include "distribution.hpp"
#include "exchange_plan.hpp"

namespace mlp {

/// Tries plans of exchanging gradients in the first steps of a training, one after
/// the other, and chooses the one whose steps took the least time on all ranks
/// together. All ranks choose by the sums of their times, and so choose the same.
class ExchangeTuner {
 public:
  /// Returns the seconds since some fixed time.
  using Clock = std::function<double()>;

  /// Steps that are not timed, because the caches are cold.
  static constexpr int kWarmUpSteps = 3;

  /// Steps of each plan. The median of their times is the time of the plan.
  static constexpr int kStepsPerPlan = 5;

  /// Sums once over all ranks.
  ///
  /// \param distribution    of this training: the wire type and the threads of its
  ///                        plan are among those tried; its allreduce must
  ///                        outlive this object
  /// \param gradient_bytes  as computed, the same on all ranks
  /// \param num_threads     of this rank
  ExchangeTuner(const Distribution& distribution, Index gradient_bytes,
                int num_threads, Clock clock = steady_clock())
      : allreduce_(*distribution.allreduce), clock_(std::move(clock)) {
    double num_threaded = num_threads > 1 ? 1.0 : 0.0;
    allreduce_.announce("autotune", 1);
    allreduce_.sum(std::span(&num_threaded, 1));
    fill_table(distribution, gradient_bytes, num_threaded > 0.0);
    medians_.reserve(plans_.size());
    is_done_ = plans_.size() == 1;
  }

  /// The plan of the next step; once is_done(), the chosen plan.
  [[nodiscard]] const ExchangePlan& plan() const { return plans_[at_]; }

  /// All that are tried, the same on all ranks.
  [[nodiscard]] const std::vector<ExchangePlan>& plans() const {
    return plans_;
  }

  [[nodiscard]] bool is_done() const { return is_done_; }

  void begin_step() { begin_ = clock_(); }

  /// Records the time of a step that succeeded. The last one sums once over all
  /// ranks.
  ///
  /// \pre !is_done()
  /// \return true if plan() has changed, or has been chosen
  bool end_step() {
    const double seconds = clock_() - begin_;
    if (num_warm_++ < kWarmUpSteps) return false;
    seconds_.push_back(seconds);
    if (seconds_.size() < static_cast<std::size_t>(kStepsPerPlan)) return false;
    auto* const middle = seconds_.data() + kStepsPerPlan / 2;
    std::nth_element(seconds_.data(), middle, seconds_.data() + kStepsPerPlan);
    medians_.push_back(*middle);
    seconds_.clear();
    if (++at_ == plans_.size()) choose();
    return true;
  }

 private:
  static Clock steady_clock() {
    return [] {
      return std::chrono::duration<double>(
                 std::chrono::steady_clock::now().time_since_epoch())
          .count();
    };
  }

  void fill_table(const Distribution& distribution, Index gradient_bytes,
                  bool has_threads) {
    const ExchangePlan& given = distribution.plan;
    std::vector<WireType> wires{given.wire};
    if (distribution.may_round_gradients &&
        given.wire == WireType::kAsComputed) {
      wires.push_back(WireType::kBfloat16);
    }
    std::vector<int> threads{given.num_threads};
    if (has_threads && given.num_threads != 1) threads.push_back(1);
    for (const int num_threads : threads) {
      for (const WireType wire : wires) {
        for (const Index bucket_bytes : kBucketBytes) {
          if (bucket_bytes >= gradient_bytes) continue;
          plans_.push_back({bucket_bytes, wire, num_threads});
        }
      }
    }
  }

  void choose() {
    allreduce_.announce("autotune", 2);
    allreduce_.sum(std::span<double>(medians_));
    at_ = static_cast<std::size_t>(
        std::min_element(medians_.begin(), medians_.end()) - medians_.begin());
    is_done_ = true;
  }

  /// From small buckets, for slow networks, to large ones, and the whole gradient.
  static constexpr Index kBucketBytes[] = {Index{256} << 10, Index{1} << 20,
                                           Index{4} << 20, Index{25} << 20, 0};

  distributed::Allreduce& allreduce_;
  Clock clock_;
  std::vector<ExchangePlan> plans_;
  std::size_t at_ = 0;
  int num_warm_ = 0;
  double begin_ = 0.0;
  std::vector<double> seconds_;  // of the steps of this plan
  std::vector<double> medians_;  // of the plans so far
  bool is_done_ = false;
};

}  // namespace mlp
