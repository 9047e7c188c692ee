// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "slices.hpp"

namespace mlp {

/// Which of the instances of all ranks one rank holds: consecutive ones.
struct RankPartition {
  Index first =
      0;  ///< where the partition begins in the instances of all ranks
  Index num_instances = 0;  ///< of all ranks together

  /// \param sizes  instances of each rank   [world_size]
  static RankPartition of_rank(int rank, const std::vector<Index>& sizes) {
    const auto own = sizes.begin() + rank;
    return {std::accumulate(sizes.begin(), own, Index{0}),
            std::accumulate(sizes.begin(), sizes.end(), Index{0})};
  }

  /// Finds the slices that make up this partition.
  ///
  /// \param rank        of this partition, for the message
  /// \param size        instances of this partition
  /// \param num_slices  of the instances of all ranks
  /// \throws ParamError if the partition does not begin and end at their bounds
  [[nodiscard]] Slices slices(int rank, Index size, Index num_slices) const {
    const Slices all(num_instances, num_slices);
    const std::optional<Slices> own = all.of_instances(first, size);
    if (own) return *own;
    throw ParamError(
        "a reproducible training must cut the instances between the slices of "
        "its sums; " +
        std::to_string(num_instances) + " instances have " +
        std::to_string(num_slices) + " slices; got instances " +
        std::to_string(first) + " to " + std::to_string(first + size) +
        " on rank " + std::to_string(rank) +
        "; give every rank the same file, or train without reproducible");
  }
};

}  // namespace mlp
