// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "../../distributed/allreduce.hpp"
#include "rank_work.hpp"

namespace mlp::bench {

/// Sums numbers over the ranks, in place.
///
/// Each sum of a few ranks multiplies them by as many. They start so small, and
/// are renewed so often, that they stay finite, and never are so small that the
/// processor would be slow.
class Sums final : public RankWork {
 public:
  /// \param group      must outlive this object
  /// \param num_bytes  >= 8; of doubles
  Sums(distributed::Allreduce& group, long num_bytes)
      : group_(group),
        numbers_(static_cast<std::size_t>(num_bytes) / sizeof(double)) {}

  void do_once(long i) override {
    constexpr long kNumSums = 400;
    if (i % kNumSums == 0) renew();
    group_.sum(numbers_);
  }

  [[nodiscard]] std::vector<std::pair<std::string, double>> values()
      const override {
    return {{"sum", std::accumulate(numbers_.begin(), numbers_.end(), 0.0)}};
  }

 private:
  void renew() {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      numbers_[i] = 1e-150 * (1.0 + static_cast<double>(i % 97));
    }
  }

  distributed::Allreduce& group_;
  std::vector<double> numbers_;
};

}  // namespace mlp::bench
