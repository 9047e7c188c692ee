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

/// Which of the instances of all ranks one rank holds.
struct InstanceShare {
  Index first = 0;          ///< of the whole
  Index num_instances = 0;  ///< of the whole

  /// \param sizes  instances of each rank   [world_size]
  static InstanceShare of_rank(int rank, const std::vector<Index>& sizes) {
    const auto own = sizes.begin() + rank;
    return {std::accumulate(sizes.begin(), own, Index{0}),
            std::accumulate(sizes.begin(), sizes.end(), Index{0})};
  }

  /// The leaves that this part is made of.
  ///
  /// \param size        instances of this part
  /// \param num_leaves  of the whole
  /// \throws ParamError where the part is not cut at their bounds
  [[nodiscard]] Leaves leaves(int rank, Index size, Index num_leaves) const {
    const Leaves whole(num_instances, num_leaves);
    const std::optional<Leaves> part = whole.of_instances(first, size);
    if (part) return *part;
    throw ParamError(
        "a reproducible training must cut the instances between the leaves of "
        "its sums, of which " +
        std::to_string(num_instances) + " instances have " +
        std::to_string(num_leaves) + "; got instances " +
        std::to_string(first) + " to " + std::to_string(first + size) +
        " on rank " + std::to_string(rank) +
        "; give every rank the same file, or do without");
  }
};

}  // namespace mlp
