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
/// the other, and chooses the fastest: the one whose steps took least time on all
/// ranks together. Ranks choose by sums of their times, and so all alike.
class ExchangeTuner {
 public:
  /// Tells seconds from any start.
  using Clock = std::function<double()>;

  /// Steps before the first that counts, which meet cold caches.
  static constexpr int kWarmUpSteps = 3;

  /// Of each plan: the median of their times is its time.
  static constexpr int kStepsPerPlan = 5;

  /// Sums once over all ranks.
  ///
  /// \param distribution    of this training: what its plan rounds to and how many
  ///                        threads it gives stay among what is tried; its
  ///                        allreduce must outlive this object
  /// \param gradient_bytes  as computed, the same on all ranks
  /// \param num_threads     that this rank was given
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

  /// Of the next step; the chosen one once is_done().
  [[nodiscard]] const ExchangePlan& plan() const { return plans_[at_]; }

  /// All that are tried, the same on all ranks.
  [[nodiscard]] const std::vector<ExchangePlan>& plans() const {
    return plans_;
  }

  [[nodiscard]] bool is_done() const { return is_done_; }

  void begin_step() { begin_ = clock_(); }

  /// Takes in a step that went well. The last one sums once over all ranks.
  ///
  /// \pre !is_done()
  /// \return true where plan() has changed, or has been chosen
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

  /// From what a slow network wants to what a fast one does, and the whole.
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
