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
/// \param frozen         [num_layers]
/// \param is_one_output  leaves the first output out, whose weights stay 0
[[nodiscard]] inline std::vector<optim::UpdateRange> weight_ranges(
    const Topology& topology, const FrozenLayers& frozen,
    bool is_one_output = false) {
  std::vector<optim::UpdateRange> ranges;
  const auto add = [&](Index begin, Index end, bool decays) {
    constexpr Index kMaxSize = 1 << 14;
    for (; begin < end; begin += kMaxSize) {
      ranges.push_back({begin, std::min(kMaxSize, end - begin), decays});
    }
  };
  for (Index k = 0; k < topology.num_layers(); ++k) {
    if (frozen[static_cast<std::size_t>(k)]) continue;
    if (is_one_output && k + 1 == topology.num_layers()) {
      const Index bias = topology.bias_offset(k);
      for (Index i = topology.weight_offset(k); i < bias; i += 2) {
        add(i + 1, i + 2, true);
      }
      add(bias + 1, bias + 2, false);
      continue;
    }
    const Index projection = topology.projection_offset(k);
    add(topology.weight_offset(k), topology.bias_offset(k), true);
    add(topology.bias_offset(k), projection, false);
    add(projection, topology.scale_offset(k), true);
    add(topology.scale_offset(k), topology.layer_end(k), false);
  }
  return ranges;
}

/// Subtracts the weights of the first of two outputs from those of the second, so
/// that the first is 0 and the probabilities are the same.
///
/// \param[in,out] weights  [num_weights]
inline void use_one_output(const Topology& topology, Vector& weights) {
  const Index last = topology.num_layers() - 1;
  for (Index i = topology.weight_offset(last); i < topology.layer_end(last);
       i += 2) {
    weights[i + 1] -= weights[i];
    weights[i] = 0.0;
  }
}

}  // namespace mlp
