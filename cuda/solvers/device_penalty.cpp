// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_penalty.hpp"

#include <algorithm>

#include "../steps/vector_sums.hpp"

namespace mlp::cuda {

std::vector<WeightKind> weight_kinds(std::span<const optim::UpdateRange> ranges,
                                     Index num_weights) {
  std::vector<WeightKind> kinds(static_cast<std::size_t>(num_weights),
                                WeightKind::kFixed);
  for (const optim::UpdateRange& range : ranges) {
    const auto first = kinds.begin() + range.first;
    std::fill(first, first + range.size,
              range.decays ? WeightKind::kDecays : WeightKind::kMoves);
  }
  return kinds;
}

DevicePenalty::DevicePenalty(const Penalty& penalty, Index num_weights,
                             const Stream& stream)
    : stream_(stream),
      terms_{penalty.reg_param, penalty.clip_value, penalty.clip_norm},
      kinds_(num_weights),
      partials_(2 * num_partials(num_weights)) {
  const std::vector<WeightKind> kinds =
      weight_kinds(penalty.ranges, num_weights);
  const bool all_change =
      std::count(kinds.begin(), kinds.end(), WeightKind::kFixed) == 0;
  is_plain_ = all_change && penalty.reg_param == 0.0 &&
              penalty.clip_value == 0.0 && penalty.clip_norm == 0.0;
  kinds_.upload(kinds, stream);
  stream.synchronize();
}

}  // namespace mlp::cuda
