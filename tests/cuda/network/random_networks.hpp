// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Random networks and instances, and what the reference computes for them.

#include <cmath>
#include <vector>

#include "../../../core/spark_random.hpp"
#include "../../../mlp/network/initial_weights.hpp"
#include "../../mlp/evaluation.hpp"
#include "../../mlp/random_instances.hpp"
#include "../largest_difference.hpp"

namespace mlp::testing {

/// Returns the larger of the relative differences of value and gradient; infinity
/// if one is NaN.
inline double relative_difference(const Evaluation& received,
                                  const Evaluation& expected) {
  const double value = std::abs(received.value - expected.value) /
                       std::max(std::abs(expected.value), 1e-300);
  const double gradient = (received.gradient - expected.gradient).norm() /
                          std::max(expected.gradient.norm(), 1e-300);
  return larger_difference(value, gradient);
}

inline Index draw_index(SparkRandom& random, Index least, Index most) {
  return least + static_cast<Index>(random.next_double() *
                                    static_cast<double>(most - least + 1));
}

inline bool draw_bool(SparkRandom& random) {
  return random.next_double() < 0.5;
}

/// A network of 1 to 4 layers of 1 to 70 units, half of them Spark's.
///
/// \param has_training_mode  true for some batch normalisation and dropout
inline Topology draw_topology(SparkRandom& random,
                              bool has_training_mode = false) {
  std::vector<Index> layers{draw_index(random, 1, 70)};
  const Index num_layers = draw_index(random, 1, 4);
  for (Index k = 0; k < num_layers; ++k) {
    const bool is_repeated = draw_bool(random) && k > 0 && k + 1 < num_layers;
    layers.push_back(is_repeated ? layers.back() : draw_index(random, 1, 70));
  }
  LossFunction loss(static_cast<Loss>(draw_index(random, 0, 2)));
  if (draw_bool(random) && !has_training_mode) {
    return Topology(layers, loss);
  }
  if (draw_bool(random)) loss.label_smoothing = 0.1;
  std::vector<HiddenLayer> hidden(layers.size() - 2);
  const auto& names = Activation::names();
  for (HiddenLayer& layer : hidden) {
    const Index last = static_cast<Index>(names.size()) - 1;
    layer.activation = *Activation::find(
        names[static_cast<std::size_t>(draw_index(random, 0, last))]);
    layer.is_residual = draw_bool(random);
    layer.has_batch_norm = has_training_mode && draw_bool(random);
    layer.dropout = has_training_mode && draw_bool(random) ? 0.3 : 0.0;
  }
  return Topology(layers, loss, hidden);
}

/// Replaces features by multiples of 1/128 that bytes can stand for.
inline void use_byte_features(RandomInstances& instances) {
  constexpr double kScale = 1.0 / 128.0;
  for (double& feature : instances.features.reshaped()) {
    feature = std::floor((feature + 1.0) * 127.9) * kScale;
  }
  instances.features(0, 0) = 255.0 * kScale;
}

}  // namespace mlp::testing
