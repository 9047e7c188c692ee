// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../core/types.hpp"
#include "../../optim/update_range.hpp"
#include "../backend/batch_evaluator.hpp"
#include "../network/topology.hpp"
#include "../params/params.hpp"

namespace mlp {

/// Turns layers counted from 1 into a flag for each.
[[nodiscard]] inline FrozenLayers frozen_layers(const Topology& topology,
                                                const Params& params) {
  FrozenLayers frozen(static_cast<std::size_t>(topology.num_layers()));
  for (const Index layer : params.freeze) {
    frozen[static_cast<std::size_t>(layer - 1)] = true;
  }
  return frozen;
}

/// Lists the weights that training changes as ranges, in order, each small enough
/// for one thread. Matrices decay; biases and batch normalisation do not.
///
/// \param frozen  [num_layers]
[[nodiscard]] inline std::vector<optim::UpdateRange> weight_ranges(
    const Topology& topology, const FrozenLayers& frozen) {
  std::vector<optim::UpdateRange> ranges;
  const auto add = [&](Index begin, Index end, bool decays) {
    constexpr Index kMaxSize = 1 << 14;
    for (; begin < end; begin += kMaxSize) {
      ranges.push_back({begin, std::min(kMaxSize, end - begin), decays});
    }
  };
  for (Index k = 0; k < topology.num_layers(); ++k) {
    if (frozen[static_cast<std::size_t>(k)]) continue;
    const Index projection = topology.projection_offset(k);
    add(topology.weight_offset(k), topology.bias_offset(k), true);
    add(topology.bias_offset(k), projection, false);
    add(projection, topology.scale_offset(k), true);
    add(topology.scale_offset(k), topology.layer_end(k), false);
  }
  return ranges;
}

}  // namespace mlp
