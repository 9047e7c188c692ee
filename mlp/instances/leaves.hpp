// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "../../core/types.hpp"

namespace mlp {

/// How instances are cut for a sum over all of them: at bounds that depend on the
/// data alone, so that neither threads nor ranks change which numbers are added
/// to each other first.
class Leaves {
 public:
  /// Leaves begin at multiples of this but for the last one's end.
  static constexpr Index kUnit = 144;

  /// At most so many, which exact sums rely on.
  static constexpr Index kMaxLeaves = 64;

  /// Leaves of several ranks where each leaf costs an evaluation of its own:
  /// mini-batches, and networks whose gradient all threads share. Enough for a
  /// dozen ranks.
  static constexpr Index kSharedLeaves = 12;

  /// Cuts into leaves that differ by at most one unit.
  Leaves(Index num_instances, Index num_leaves)
      : num_instances_(num_instances), total_(num_leaves), size_(num_leaves) {}

  /// How many leaves a data set is cut into: one per 1,024 instances, fewer
  /// where their gradients would not fit into 256 MiB. Threads beyond it idle.
  [[nodiscard]] static Index count(Index num_instances, Index num_weights) {
    const Index by_size = (num_instances + kLeafSize - 1) / kLeafSize;
    const Index by_memory = std::max<Index>(2, kMaxLeafNumbers / num_weights);
    return std::clamp<Index>(by_size, 1, std::min(kMaxLeaves, by_memory));
  }

  /// Those leaves that one of several ranks holds; as many as the others or one
  /// less.
  [[nodiscard]] Leaves of_rank(int rank, int world_size) const {
    return part(total_ * rank / world_size, total_ * (rank + 1) / world_size);
  }

  /// Finds the leaves that make a run of the instances of all leaves; none where
  /// it is not cut at their bounds.
  [[nodiscard]] std::optional<Leaves> of_instances(Index first,
                                                   Index count) const {
    Index begin = 0;
    while (begin < total_ && bound(begin) < first) ++begin;
    Index end = begin;
    while (end < total_ && bound(end) < first + count) ++end;
    if (bound(begin) != first || bound(end) != first + count) {
      return std::nullopt;
    }
    return part(begin, end);
  }

  /// Leaves held.
  [[nodiscard]] Index size() const { return size_; }

  /// Instance of the whole that the first leaf held begins with.
  [[nodiscard]] Index first_instance() const { return bound(first_); }

  /// Where a leaf begins, counted from first_instance().
  ///
  /// \param leaf  0 .. size(), the last of which is the end
  [[nodiscard]] Index begin(Index leaf) const {
    return bound(first_ + leaf) - bound(first_);
  }

 private:
  [[nodiscard]] Leaves part(Index begin, Index end) const {
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
  Index first_ = 0;      // leaf held
  Index size_;
};

}  // namespace mlp
