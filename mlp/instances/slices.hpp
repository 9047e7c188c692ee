// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "../../core/types.hpp"

namespace mlp {

/// How instances are cut into slices for a sum over all of them. The bounds
/// depend only on the data, so threads and ranks do not change the order of the
/// additions.
class Slices {
 public:
  /// Slices begin at multiples of this.
  static constexpr Index kUnit = 144;

  /// The largest number of slices, which exact sums rely on.
  static constexpr Index kMaxSlices = 64;

  /// The largest number of slices in a reproducible training if each slice is
  /// evaluated on its own: with mini-batches, and with networks whose gradient all
  /// threads share. At most this many ranks have instances.
  static constexpr Index kSharedSlices = 12;

  /// Cuts into slices that differ by at most one unit.
  Slices(Index num_instances, Index num_slices)
      : num_instances_(num_instances), total_(num_slices), size_(num_slices) {}

  /// How many slices a data set is cut into: one per 1,024 instances, fewer if
  /// their gradients would not fit into 256 MiB. More threads than that have no
  /// work.
  [[nodiscard]] static Index count(Index num_instances, Index num_weights) {
    const Index by_size = (num_instances + kSliceSize - 1) / kSliceSize;
    const Index by_memory = std::max<Index>(2, kMaxSliceNumbers / num_weights);
    return std::clamp<Index>(by_size, 1, std::min(kMaxSlices, by_memory));
  }

  /// The slices of one of several ranks. Ranks differ by at most one slice.
  [[nodiscard]] Slices of_rank(int rank, int world_size) const {
    return range(total_ * rank / world_size, total_ * (rank + 1) / world_size);
  }

  /// Finds the slices that make up some consecutive instances; none if these do not
  /// begin and end at their bounds.
  [[nodiscard]] std::optional<Slices> of_instances(Index first,
                                                   Index count) const {
    Index begin = 0;
    while (begin < total_ && bound(begin) < first) ++begin;
    Index end = begin;
    while (end < total_ && bound(end) < first + count) ++end;
    if (bound(begin) != first || bound(end) != first + count) {
      return std::nullopt;
    }
    return range(begin, end);
  }

  /// How many of the slices these are.
  [[nodiscard]] Index size() const { return size_; }

  /// The position of the first instance of these slices in all instances.
  [[nodiscard]] Index first_instance() const { return bound(first_); }

  /// Where a slice begins, counted from first_instance().
  ///
  /// \param slice  0 .. size(); at size() the last slice ends
  [[nodiscard]] Index begin(Index slice) const {
    return bound(first_ + slice) - bound(first_);
  }

 private:
  [[nodiscard]] Slices range(Index begin, Index end) const {
    Slices some = *this;
    some.first_ = begin;
    some.size_ = end - begin;
    return some;
  }

  /// Where slice i of all begins.
  [[nodiscard]] Index bound(Index slice) const {
    const Index num_units = (num_instances_ + kUnit - 1) / kUnit;
    const Index quotient = num_units / total_;
    const Index remainder = num_units % total_;
    const Index units = slice * quotient + std::min(slice, remainder);
    return std::min(num_instances_, kUnit * units);
  }

  static constexpr Index kSliceSize = 1024;
  static constexpr Index kMaxSliceNumbers = Index{1} << 25;

  Index num_instances_;  // of all slices
  Index total_;          // slices of all ranks
  Index first_ = 0;      // the first of these slices
  Index size_;           // of these slices
};

}  // namespace mlp
