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
#include "leaves.hpp"

namespace mlp {

/// Which of the instances of all ranks one rank holds: a run of them.
struct InstanceShare {
  Index first = 0;  ///< where the share begins in the instances of all ranks
  Index num_instances = 0;  ///< of all ranks together

  /// \param sizes  instances of each rank   [world_size]
  static InstanceShare of_rank(int rank, const std::vector<Index>& sizes) {
    const auto own = sizes.begin() + rank;
    return {std::accumulate(sizes.begin(), own, Index{0}),
            std::accumulate(sizes.begin(), sizes.end(), Index{0})};
  }

  /// Finds the leaves that make up this share.
  ///
  /// \param rank        of this share, for the message
  /// \param size        instances of this share
  /// \param num_leaves  of the instances of all ranks
  /// \throws ParamError if the share does not begin and end at their bounds
  [[nodiscard]] Leaves leaves(int rank, Index size, Index num_leaves) const {
    const Leaves all(num_instances, num_leaves);
    const std::optional<Leaves> own = all.of_instances(first, size);
    if (own) return *own;
    throw ParamError(
        "a reproducible training must cut the instances between the leaves of "
        "its sums; " +
        std::to_string(num_instances) + " instances have " +
        std::to_string(num_leaves) + " leaves; got instances " +
        std::to_string(first) + " to " + std::to_string(first + size) +
        " on rank " + std::to_string(rank) +
        "; give every rank the same file, or train without reproducible");
  }
};

}  // namespace mlp
