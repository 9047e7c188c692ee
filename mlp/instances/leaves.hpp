// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "../../core/types.hpp"

namespace mlp {

/// How instances are cut into leaves for a sum over all of them. The bounds
/// depend only on the data, so threads and ranks do not change the order of the
/// additions.
class Leaves {
 public:
  /// Leaves begin at multiples of this.
  static constexpr Index kUnit = 144;

  /// The largest number of leaves, which exact sums rely on.
  static constexpr Index kMaxLeaves = 64;

  /// The largest number of leaves in a reproducible training if each leaf is
  /// evaluated on its own: with mini-batches, and with networks whose gradient all
  /// threads share. At most this many ranks have instances.
  static constexpr Index kSharedLeaves = 12;

  /// Cuts into leaves that differ by at most one unit.
  Leaves(Index num_instances, Index num_leaves)
      : num_instances_(num_instances), total_(num_leaves), size_(num_leaves) {}

  /// How many leaves a data set is cut into: one per 1,024 instances, fewer if
  /// their gradients would not fit into 256 MiB. More threads than that have no
  /// work.
  [[nodiscard]] static Index count(Index num_instances, Index num_weights) {
    const Index by_size = (num_instances + kLeafSize - 1) / kLeafSize;
    const Index by_memory = std::max<Index>(2, kMaxLeafNumbers / num_weights);
    return std::clamp<Index>(by_size, 1, std::min(kMaxLeaves, by_memory));
  }

  /// The leaves of one of several ranks. Ranks differ by at most one leaf.
  [[nodiscard]] Leaves of_rank(int rank, int world_size) const {
    return run(total_ * rank / world_size, total_ * (rank + 1) / world_size);
  }

  /// Finds the leaves that make up a run of the instances; none if the run does not
  /// begin and end at their bounds.
  [[nodiscard]] std::optional<Leaves> of_instances(Index first,
                                                   Index count) const {
    Index begin = 0;
    while (begin < total_ && bound(begin) < first) ++begin;
    Index end = begin;
    while (end < total_ && bound(end) < first + count) ++end;
    if (bound(begin) != first || bound(end) != first + count) {
      return std::nullopt;
    }
    return run(begin, end);
  }

  /// How many of the leaves these are.
  [[nodiscard]] Index size() const { return size_; }

  /// The position of the first instance of these leaves in all instances.
  [[nodiscard]] Index first_instance() const { return bound(first_); }

  /// Where a leaf begins, counted from first_instance().
  ///
  /// \param leaf  0 .. size(); at size() the last leaf ends
  [[nodiscard]] Index begin(Index leaf) const {
    return bound(first_ + leaf) - bound(first_);
  }

 private:
  [[nodiscard]] Leaves run(Index begin, Index end) const {
    Leaves some = *this;
    some.first_ = begin;
    some.size_ = end - begin;
    return some;
  }

  /// Where leaf i of all begins.
  [[nodiscard]] Index bound(Index leaf) const {
    const Index num_units = (num_instances_ + kUnit - 1) / kUnit;
    const Index quotient = num_units / total_;
    const Index remainder = num_units % total_;
    const Index units = leaf * quotient + std::min(leaf, remainder);
    return std::min(num_instances_, kUnit * units);
  }

  static constexpr Index kLeafSize = 1024;
  static constexpr Index kMaxLeafNumbers = Index{1} << 25;

  Index num_instances_;  // of all leaves
  Index total_;          // leaves of all ranks
  Index first_ = 0;      // the first of these leaves
  Index size_;           // of these leaves
};

}  // namespace mlp
