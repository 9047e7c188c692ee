// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "../../core/spark_random.hpp"
#include "../../core/types.hpp"
#include "../network/dropout.hpp"

namespace mlp {

/// Which instances make which mini-batch. Each epoch shuffles them, depending
/// only on the seed and the epoch, so that a training can be resumed at any
/// step; or all epochs take them in their order.
///
/// \source Knuth 1997, The Art of Computer Programming 2, 3.4.2, algorithm P
class MiniBatchOrder {
 public:
  /// \param min_size  of a mini-batch; a smaller last one is left out of the epoch
  MiniBatchOrder(Index num_instances, Index batch_size, Index min_size,
                 std::int64_t seed, bool is_shuffling = true)
      : is_shuffling_(is_shuffling),
        order_(static_cast<std::size_t>(num_instances)),
        batch_size_(std::min(batch_size, num_instances)),
        num_batches_((num_instances + batch_size_ - 1) / batch_size_),
        seed_(DropoutMask::mix(static_cast<std::uint64_t>(seed))) {
    const Index last = num_instances - (num_batches_ - 1) * batch_size_;
    if (last < min_size && num_batches_ > 1) --num_batches_;
  }

  [[nodiscard]] Index num_batches() const { return num_batches_; }

  /// Shuffles for an epoch, unless all have the same order.
  ///
  /// \param epoch  0-based
  void shuffle(Index epoch) {
    std::iota(order_.begin(), order_.end(), Index{0});
    if (!is_shuffling_) return;
    SparkRandom random(
        static_cast<std::int64_t>(seed_ + static_cast<std::uint64_t>(epoch)));
    for (std::size_t i = order_.size(); i > 1; --i) {
      const auto j = static_cast<std::size_t>(random.next_double() *
                                              static_cast<double>(i));
      std::swap(order_[i - 1], order_[j]);
    }
  }

  /// The instances of mini-batch b, 0-based, of the epoch of the last shuffle().
  [[nodiscard]] std::span<const Index> batch(Index b) const {
    const auto begin = static_cast<std::size_t>(b * batch_size_);
    const std::size_t size =
        std::min(static_cast<std::size_t>(batch_size_), order_.size() - begin);
    return std::span(order_).subspan(begin, size);
  }

  /// The seed of dropout in a step.
  ///
  /// \param step  counted over all epochs, 0-based
  [[nodiscard]] std::uint64_t dropout_seed(Index step) const {
    return DropoutMask::mix(seed_ ^ (static_cast<std::uint64_t>(step) + 1));
  }

 private:
  bool is_shuffling_;
  std::vector<Index> order_;  // [num_instances]
  Index batch_size_;
  Index num_batches_;
  std::uint64_t seed_;
};

}  // namespace mlp
