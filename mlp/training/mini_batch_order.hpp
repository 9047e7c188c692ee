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

/// Returns the size of a slab, about 4 MiB of features: a disk reads it almost as fast as
/// a whole file. There are at least 64 slabs if there are as many instances.
[[nodiscard]] inline Index slab_size(Index num_features, Index num_instances) {
  constexpr Index kNumbers = Index{1} << 19;
  constexpr Index kLeastSlabs = 64;
  return std::max<Index>(
      1, std::min(kNumbers / num_features, num_instances / kLeastSlabs));
}

/// What an epoch of mini-batches shuffles.
struct BatchShuffle {
  bool is_on = true;  ///< false takes the instances in their order
  Index slab = 0;     ///< instances of a slab; 0 shuffles them one by one
};

/// Which instances make which mini-batch. Each epoch shuffles them, depending
/// only on the seed and the epoch, so that a training can be resumed at any
/// step; or all epochs take them in their order.
///
/// With slabs, later epochs shuffle runs of the order of the first epoch. The first run
/// has a random size, so that mini-batches differ.
///
/// \source Knuth 1997, The Art of Computer Programming 2, 3.4.2, algorithm P
class MiniBatchOrder {
 public:
  /// \param min_size  of a mini-batch; a smaller last one is left out of the epoch
  MiniBatchOrder(Index num_instances, Index batch_size, Index min_size,
                 std::int64_t seed, const BatchShuffle& shuffle = {})
      : shuffle_(shuffle),
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
    const bool has_slabs = shuffle_.is_on && shuffle_.slab > 0;
    if (has_slabs && epoch > 0) return shuffle_slabs(epoch);
    std::iota(order_.begin(), order_.end(), Index{0});
    if (!shuffle_.is_on) return;
    SparkRandom random = random_of(epoch);
    shuffle_items(order_, random);
  }

  /// The instances of mini-batch b, 0-based, of the epoch of the last shuffle().
  [[nodiscard]] std::span<const Index> batch(Index b) const {
    const auto begin = static_cast<std::size_t>(b * batch_size_);
    const std::size_t size =
        std::min(static_cast<std::size_t>(batch_size_), order_.size() - begin);
    return std::span(order_).subspan(begin, size);
  }

  /// All instances in the order of the last shuffle().
  [[nodiscard]] const std::vector<Index>& all() const { return order_; }

  /// The instances of the mini-batches from b on, without those that are left out.
  [[nodiscard]] std::span<const Index> rest(Index b) const {
    const auto begin = static_cast<std::size_t>(b * batch_size_);
    const std::size_t end = std::min(
        static_cast<std::size_t>(num_batches_ * batch_size_), order_.size());
    return std::span(order_).subspan(begin, end - begin);
  }

  /// The seed of dropout in a step.
  ///
  /// \param step  counted over all epochs, 0-based
  [[nodiscard]] std::uint64_t dropout_seed(Index step) const {
    return DropoutMask::mix(seed_ ^ (static_cast<std::uint64_t>(step) + 1));
  }

 private:
  [[nodiscard]] SparkRandom random_of(Index epoch) const {
    return SparkRandom(
        static_cast<std::int64_t>(seed_ + static_cast<std::uint64_t>(epoch)));
  }

  static void shuffle_items(std::vector<Index>& items, SparkRandom& random) {
    for (std::size_t i = items.size(); i > 1; --i) {
      const auto j = static_cast<std::size_t>(random.next_double() *
                                              static_cast<double>(i));
      std::swap(items[i - 1], items[j]);
    }
  }

  void shuffle_slabs(Index epoch) {
    if (first_order_.empty()) {
      shuffle(0);
      first_order_ = order_;
    }
    SparkRandom random = random_of(epoch);
    const auto size = static_cast<Index>(order_.size());
    const auto cut = static_cast<Index>(random.next_double() *
                                        static_cast<double>(shuffle_.slab));
    std::vector<Index> begins;
    for (Index begin = cut - shuffle_.slab; begin < size;
         begin += shuffle_.slab) {
      begins.push_back(begin);
    }
    shuffle_items(begins, random);
    auto to = order_.begin();
    for (const Index begin : begins) {
      const auto from = first_order_.begin();
      to = std::copy(from + std::max<Index>(0, begin),
                     from + std::min(size, begin + shuffle_.slab), to);
    }
  }

  BatchShuffle shuffle_;
  std::vector<Index> order_;        // [num_instances]
  std::vector<Index> first_order_;  // of the first epoch; with slabs only
  Index batch_size_;
  Index num_batches_;
  std::uint64_t seed_;
};

}  // namespace mlp
