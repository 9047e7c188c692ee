// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "../core/spark_random.hpp"
#include "../core/types.hpp"
#include "topology.hpp"

namespace mlp {

/// Draws the weights at which Spark starts, equal to the last bit.
///
/// One stream serves all layers; each layer's biases are drawn after its
/// weights, uniform in +-2.4 / sqrt(input_size) too.
///
/// \return [topology.num_weights()]
/// \source Spark ml/ann/Layer.scala, AffineLayerModel.randomWeights
[[nodiscard]] inline Vector draw_initial_weights(
    const Topology& topology, std::int64_t seed,
    SeedHash era = SeedHash::kSpark3) {
  Vector weights(topology.num_weights());
  SparkRandom random(seed, era);
  Index at = 0;
  for (Index k = 0; k < topology.num_layers(); ++k) {
    const double divisor =
        std::sqrt(static_cast<double>(topology.input_size(k)));
    const Index end = topology.bias_offset(k) + topology.output_size(k);
    for (; at < end; ++at) {
      // Rounded on its own: a compiler that may use FMA would otherwise fuse
      // the product with the subtraction and change the last bit.
      const volatile double scaled = random.next_double() * 4.8;
      weights[at] = (scaled - 2.4) / divisor;
    }
  }
  return weights;
}

}  // namespace mlp
