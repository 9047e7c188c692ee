// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "../../core/spark_random.hpp"
#include "../../core/thread_pool.hpp"
#include "../../mlp/backend/backend.hpp"
#include "../../mlp/network/batch_norm.hpp"
#include "../../mlp/network/initial_weights.hpp"
#include "../mlp/random_instances.hpp"

namespace mlp::testing {

/// Another order of summation over some hundred terms, and other roundings of
/// the activation functions; relative to the norm.
constexpr double kDoubleTolerance = 1e-11;

/// The same in single precision; a unit beside the kink of a rectifier may fall
/// on either side.
constexpr double kFloatTolerance = 2e-3;

template <typename Number>
constexpr double kTolerance =
    std::is_same_v<Number, double> ? kDoubleTolerance : kFloatTolerance;

inline const std::vector<std::string>& activation_names() {
  static const std::vector<std::string> names(Activation::names().begin(),
                                              Activation::names().end());
  return names;
}

inline HiddenLayer hidden_layer(const std::string& activation,
                                bool is_residual = false,
                                bool has_batch_norm = false,
                                double dropout = 0.0) {
  using Activation = decltype(HiddenLayer::activation);
  return {*Activation::find(activation), is_residual, has_batch_norm, dropout};
}

/// The losses, and one with label smoothing.
inline std::vector<LossFunction> all_losses() {
  return {{Loss::kSoftmaxNll},
          {Loss::kSoftmaxNll, 0.1},
          {Loss::kSigmoidSquaredError},
          {Loss::kSquaredError}};
}

/// A network drawn at random: 1 to 4 layers.
///
/// \param is_training  whether batch normalisation and dropout may be there
/// \param max_width    the most units of a layer, at least 4
inline Topology draw_topology(SparkRandom& random, bool is_training,
                              int max_width = 70) {
  const auto below = [&](int end) {
    return static_cast<Index>(random.next_double() * end);
  };
  std::vector<Index> layers = {1 + below(max_width)};
  std::vector<HiddenLayer> hidden;
  for (Index left = below(4); left > 0; --left) {
    layers.push_back(below(3) == 0 ? layers.back() : 1 + below(max_width));
    hidden.push_back(
        hidden_layer(activation_names()[static_cast<std::size_t>(
                         below(static_cast<int>(activation_names().size())))],
                     below(2) == 0, is_training && below(2) == 0,
                     is_training && below(2) == 0 ? 0.3 : 0.0));
  }
  layers.push_back(2 + below(max_width / 2));
  return Topology(layers, all_losses()[static_cast<std::size_t>(below(4))],
                  hidden);
}

/// Random weights, none of them 0.
inline Vector draw_weights(const Topology& topology, std::int64_t seed) {
  SparkRandom random(seed);
  Vector weights =
      2.0 * draw_matrix(random, topology.num_weights(), 1).array() - 1.0;
  for (Index k = 0; k < topology.num_layers(); ++k) {
    weights.segment(topology.weight_offset(k),
                    topology.layer_end(k) - topology.weight_offset(k)) /=
        std::sqrt(static_cast<double>(topology.input_size(k)));
  }
  return weights;
}

/// What one step on a mini-batch gives.
template <typename Number>
struct BatchResult {
  using NumberVector = Eigen::Matrix<Number, Eigen::Dynamic, 1>;

  double loss = 0.0;
  NumberVector gradient;
  NumberVector statistics;

  friend bool operator==(const BatchResult&, const BatchResult&) = default;
};

/// Steps on the first size of some instances, in another order than theirs.
template <typename Number>
BatchResult<Number> step(const Backend& backend, const Topology& topology,
                         const RandomInstances& instances, Index size,
                         const FrozenLayers& frozen = {}, int num_threads = 1) {
  using NumberVector = typename BatchResult<Number>::NumberVector;
  std::vector<Index> batch(static_cast<std::size_t>(size));
  std::iota(batch.rbegin(), batch.rend(), Index{0});
  const NumberVector weights =
      draw_weights(topology, 3).template cast<Number>();
  BatchResult<Number> result;
  result.gradient = NumberVector::Constant(topology.num_weights(), Number{7});
  result.statistics =
      BatchNorm::initial_statistics(topology).template cast<Number>();
  ThreadPool pool(num_threads);
  const auto evaluator = backend.make_batch_evaluator(
      topology, frozen, std::type_identity<Number>{});
  const InstanceRange range = instances.range();
  evaluator->bind(range);
  constexpr std::uint64_t kDropoutSeed = 11;
  result.loss = evaluator->value_and_gradient(
      {batch, kDropoutSeed}, weights.data(), result.statistics.data(),
      result.gradient.data(), pool);
  return result;
}

/// How far two vectors are apart, relative to the norm of the second.
template <typename Numbers>
double distance(const Numbers& a, const Numbers& b) {
  if (a.size() == 0) return 0.0;
  const auto norm = static_cast<double>(b.norm());
  return static_cast<double>((a - b).norm()) / (norm > 0.0 ? norm : 1.0);
}

/// The largest distance of loss, gradient and statistics.
template <typename Number>
double distance(const BatchResult<Number>& a, const BatchResult<Number>& b) {
  return std::max({std::abs(a.loss - b.loss) / std::abs(b.loss),
                   distance(a.gradient, b.gradient),
                   distance(a.statistics, b.statistics)});
}

}  // namespace mlp::testing
