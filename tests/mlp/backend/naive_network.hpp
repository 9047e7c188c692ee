// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../../core/types.hpp"
#include "../../../mlp/backend/backend.hpp"
#include "../../../mlp/network/topology.hpp"

// The network once more, one instance and one number at a time and without
// Eigen's products: what the tests compare the library with.

namespace mlp::testing {

using Numbers = std::vector<double>;

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Outputs of every layer for one instance: outputs[0] are the features, and the
/// last layer's stand before softmax or sigmoid.
inline std::vector<Numbers> naive_outputs(const Topology& topology,
                                          const Vector& weights,
                                          const double* features) {
  std::vector<Numbers> outputs{{features, features + topology.num_features()}};
  for (Index k = 0; k < topology.num_layers(); ++k) {
    Numbers next(at(topology.output_size(k)));
    for (Index o = 0; o < topology.output_size(k); ++o) {
      double z = weights[topology.bias_offset(k) + o];
      for (Index i = 0; i < topology.input_size(k); ++i) {
        z += weights[topology.weight_offset(k) + o +
                     topology.output_size(k) * i] *
             outputs.back()[at(i)];
      }
      const bool is_hidden = k + 1 < topology.num_layers();
      next[at(o)] = is_hidden ? 1.0 / (1.0 + std::exp(-z)) : z;
    }
    outputs.push_back(next);
  }
  return outputs;
}

/// Turns z into d loss / d z and returns the loss of softmax, log likelihood.
inline double naive_softmax_loss(Numbers& z, Index label) {
  const double largest = *std::max_element(z.begin(), z.end());
  double sum = 0.0;
  for (const double value : z) sum += std::exp(value - largest);
  double loss = 0.0;
  for (Index i = 0; i < static_cast<Index>(z.size()); ++i) {
    const double p = std::exp(z[at(i)] - largest) / sum;
    const double t = i == label ? 1.0 : 0.0;
    loss -= t * std::log(p);
    z[at(i)] = p - t;
  }
  return loss;
}

/// Turns z into d loss / d z and returns the loss of sigmoid, squared error.
inline double naive_squared_loss(Numbers& z, const double* target) {
  double loss = 0.0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double o = 1.0 / (1.0 + std::exp(-z[i]));
    loss += (o - target[i]) * (o - target[i]) / 2.0;
    z[i] = (o - target[i]) * o * (1.0 - o);
  }
  return loss;
}

/// Adds one layer's gradient for one instance and returns the delta before it.
inline Numbers naive_backward(const Topology& topology, Index k,
                              const Vector& weights, const Numbers& input,
                              const Numbers& delta, Vector& gradient) {
  Numbers previous(input.size(), 0.0);
  const Index num_outputs = topology.output_size(k);
  for (Index o = 0; o < num_outputs; ++o) {
    gradient[topology.bias_offset(k) + o] += delta[at(o)];
    for (Index i = 0; i < topology.input_size(k); ++i) {
      const Index position = topology.weight_offset(k) + o + num_outputs * i;
      const double a = input[at(i)];
      gradient[position] += delta[at(o)] * a;
      previous[at(i)] += weights[position] * delta[at(o)] * a * (1.0 - a);
    }
  }
  return previous;
}

/// Sums weight times loss over the instances.
///
/// \param[out] gradient  [topology.num_weights()]
inline double naive_objective(const Topology& topology, const Vector& weights,
                              const InstanceRange& instances,
                              Vector& gradient) {
  gradient.setZero(topology.num_weights());
  double sum = 0.0;
  for (Index i = 0; i < instances.size; ++i) {
    const auto outputs = naive_outputs(
        topology, weights, instances.features + i * topology.num_features());
    Numbers delta = outputs.back();
    const double loss =
        topology.loss() == Loss::kSoftmaxNll
            ? naive_softmax_loss(delta, instances.labels[i])
            : naive_squared_loss(
                  delta, instances.targets + i * topology.num_classes());
    sum += instances.weights[i] * loss;
    for (double& value : delta) value *= instances.weights[i];
    for (Index k = topology.num_layers() - 1; k >= 0; --k) {
      delta =
          naive_backward(topology, k, weights, outputs[at(k)], delta, gradient);
    }
  }
  return sum;
}

}  // namespace mlp::testing
