// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "problem.hpp"
#include "worker.hpp"

namespace mlp::bench {

/// Times scoring single rows with any network that offers
/// predict_raw(const T* row, T* scores). Every side of a comparison runs this
/// same loop.
///
/// Modes: "back_to_back" scores row after row; "chained" makes each row depend on
/// the scores before it; "singly" times groups of 16 calls for the spread.
template <typename T, typename Network>
class RowScoring final : public Task {
 public:
  RowScoring(const Problem& problem, Network network, std::string mode)
      : network_(std::move(network)),
        mode_(std::move(mode)),
        num_features_(static_cast<std::size_t>(problem.features.rows())),
        scores_(static_cast<std::size_t>(problem.topology.num_classes())) {
    for (Index i = 0; i < problem.features.size(); ++i) {
      rows_.push_back(static_cast<T>(problem.features.data()[i]));
    }
    num_rows_ = rows_.size() / num_features_;
    score_norm_ = compute_score_norm();
  }

  /// One repeat is one call, or one group of calls where they are timed singly.
  Sample run(long repeats) override {
    Sample sample;
    if (mode_ == "singly") {
      sample = time_groups(repeats);
    } else {
      const bool is_chained = mode_ == "chained";
      const Stopwatch watch;
      is_chained ? score_chain(repeats) : score_rows(repeats);
      sample.duration = watch.elapsed();
    }
    sample.values.emplace_back("score_norm", score_norm_);
    return sample;
  }

 private:
  static constexpr long kGroupSize = 16;

  const T* row(std::size_t at) const {
    return rows_.data() + at % num_rows_ * num_features_;
  }

  void score_rows(long count) {
    for (long i = 0; i < count; ++i) {
      network_.predict_raw(row(next_row_++), scores_.data());
      consume();
    }
  }

  /// The first feature takes a share of the last score that changes nothing
  /// but the order of events.
  void score_chain(long count) {
    constexpr T kShare = static_cast<T>(1e-30);
    std::vector<T> input(row(0), row(0) + num_features_);
    const T first = input[0];
    for (long i = 0; i < count; ++i) {
      network_.predict_raw(input.data(), scores_.data());
      input[0] = first + kShare * scores_[0];
    }
    consume();
  }

  Sample time_groups(long count) {
    std::vector<double> nanoseconds;
    Sample sample;
    const Stopwatch watch;
    for (long i = 0; i < count; ++i) {
      const double start = read_clock(CLOCK_MONOTONIC);
      score_rows(kGroupSize);
      const double seconds = read_clock(CLOCK_MONOTONIC) - start;
      nanoseconds.push_back(1e9 * seconds / kGroupSize);
    }
    sample.duration = watch.elapsed();
    std::sort(nanoseconds.begin(), nanoseconds.end());
    const std::size_t size = nanoseconds.size();
    sample.values = {{"p50", nanoseconds[size / 2]},
                     {"p99", nanoseconds[size * 99 / 100]}};
    return sample;
  }

  /// Keeps the compiler from leaving out a score that nobody reads.
  void consume() { asm volatile("" : : "r"(scores_.data()) : "memory"); }

  double compute_score_norm() {
    double sum = 0.0;
    for (std::size_t i = 0; i < num_rows_; ++i) {
      network_.predict_raw(row(i), scores_.data());
      for (const T score : scores_) {
        sum += static_cast<double>(score) * static_cast<double>(score);
      }
    }
    return std::sqrt(sum);
  }

  Network network_;
  std::string mode_;
  std::size_t num_features_;
  std::size_t num_rows_ = 0;
  std::size_t next_row_ = 0;
  std::vector<T> rows_;    // [num_features x num_rows]
  std::vector<T> scores_;  // [num_classes]
  double score_norm_ = 0.0;
};

/// The rows that single scores are timed with: enough that branches cannot
/// learn them, few enough that they stay in the cache.
constexpr Index kNumScoredRows = 32;

/// Makes the task of a network.
template <typename T, typename Network>
std::unique_ptr<Task> make_row_scoring(const Problem& problem, Network network,
                                       const std::string& mode) {
  return std::make_unique<RowScoring<T, Network>>(problem, std::move(network),
                                                  mode);
}

}  // namespace mlp::bench
