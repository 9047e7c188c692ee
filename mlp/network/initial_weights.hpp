// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Draws the initial weights of a network, by default exactly as Spark does.

#include <cmath>
#include <cstdint>

#include "../../core/spark_random.hpp"
#include "../../core/types.hpp"
#include "initialization.hpp"
#include "layer_views.hpp"
#include "topology.hpp"

namespace mlp {

namespace detail {

/// Draws the numbers that Spark draws, equal to the last bit.
inline void draw_spark(SparkRandom& random, Index input_size,
                       Eigen::Ref<Vector> numbers) {
  const double divisor = std::sqrt(static_cast<double>(input_size));
  for (Index i = 0; i < numbers.size(); ++i) {
    // The product is rounded on its own. Otherwise a compiler that may use FMA
    // would fuse it with the subtraction and change the last bit.
    const volatile double scaled = random.next_double() * 4.8;
    numbers[i] = (scaled - 2.4) / divisor;
  }
}

/// Returns the variance of the weights.
inline double initial_variance(Initialization initialization, Index inputs,
                               Index outputs) {
  const auto n = static_cast<double>(inputs);
  const auto m = static_cast<double>(outputs);
  switch (initialization) {
    case Initialization::kXavierUniform:
    case Initialization::kXavierNormal:
      return 2.0 / (n + m);
    case Initialization::kHeUniform:
    case Initialization::kHeNormal:
      return 2.0 / n;
    default:
      return 1.0 / n;
  }
}

inline bool is_uniform(Initialization initialization) {
  return initialization == Initialization::kXavierUniform ||
         initialization == Initialization::kHeUniform ||
         initialization == Initialization::kLecunUniform;
}

/// Makes the columns orthonormal by the Gram-Schmidt method, applied twice.
///
/// After the second pass the columns are orthogonal to the last bits. The norms
/// are positive, so that for normal random numbers every result is equally
/// likely.
///
/// \param[in,out] columns  [rows x columns], rows >= columns, full rank
/// \source Giraud, Langou and Rozloznik 2005, The Loss of Orthogonality in the
///         Gram-Schmidt Orthogonalization Process
inline void orthonormalize(Matrix& columns) {
  for (Index j = 0; j < columns.cols(); ++j) {
    for (int pass = 0; pass < 2; ++pass) {
      for (Index i = 0; i < j; ++i) {
        const double overlap = columns.col(i).dot(columns.col(j));
        columns.col(j) -= overlap * columns.col(i);
      }
    }
    columns.col(j) /= columns.col(j).norm();
  }
}

/// Draws a normal random matrix and makes its rows or columns orthonormal,
/// whichever are fewer.
///
/// \source Saxe, McClelland and Ganguli 2014, Exact Solutions to the Nonlinear
///         Dynamics of Learning; Mezzadri 2007, How to Generate Random Matrices
inline void draw_orthogonal(SparkRandom& random, Eigen::Ref<Matrix> weights) {
  const bool is_wide = weights.cols() > weights.rows();
  Matrix normal(is_wide ? weights.cols() : weights.rows(),
                is_wide ? weights.rows() : weights.cols());
  for (double& number : normal.reshaped()) number = random.next_gaussian();
  orthonormalize(normal);
  if (is_wide) {
    weights = normal.transpose();
  } else {
    weights = normal;
  }
}

/// Draws a matrix of weights [output_size x input_size], column by column.
inline void draw_matrix(SparkRandom& random, Initialization initialization,
                        Eigen::Ref<Matrix> weights) {
  if (initialization == Initialization::kOrthogonal) {
    return draw_orthogonal(random, weights);
  }
  const double variance =
      initial_variance(initialization, weights.cols(), weights.rows());
  // The variance of a uniform number in (-1, 1) is 1 / 3.
  const bool has_uniform = is_uniform(initialization);
  const double scale = std::sqrt(has_uniform ? 3.0 * variance : variance);
  for (double& weight : weights.reshaped()) {
    weight = scale * (has_uniform ? 2.0 * random.next_double() - 1.0
                                  : random.next_gaussian());
  }
}

}  // namespace detail

/// Draws the weights of one layer: W, its biases, then the projection.
///
/// The scales of batch normalisation become 1, its shifts 0.
///
/// \param[in,out] weights  only the slice of this layer is written
///                         [topology.num_weights()]
inline void draw_initial_layer(const Topology& topology, Index k,
                               Initialization initialization,
                               SparkRandom& random, Vector& weights) {
  LayerView layer = view_layer(topology, k, weights.data());
  if (initialization == Initialization::kSpark) {
    const Index begin = topology.weight_offset(k);
    detail::draw_spark(
        random, topology.input_size(k),
        weights.segment(begin, topology.scale_offset(k) - begin));
  } else {
    detail::draw_matrix(random, initialization, layer.weights);
    layer.biases.setZero();
    if (layer.projection.size() != 0) {
      detail::draw_matrix(random, initialization, layer.projection);
    }
  }
  layer.scales.setOnes();
  layer.shifts.setZero();
}

/// Draws the weights at which training starts.
///
/// By default they are Spark's, equal to the last bit: one random stream serves
/// all layers, and the biases of a layer follow its weights with the same
/// distribution, uniform in +-2.4 / sqrt(input_size).
///
/// \return [topology.num_weights()]
/// \source Spark ml/ann/Layer.scala, AffineLayerModel.randomWeights;
///         initialization.hpp
[[nodiscard]] inline Vector draw_initial_weights(
    const Topology& topology, std::int64_t seed,
    SeedHash era = SeedHash::kSpark3,
    Initialization initialization = Initialization::kSpark) {
  Vector weights(topology.num_weights());
  SparkRandom random(seed, era);
  for (Index k = 0; k < topology.num_layers(); ++k) {
    draw_initial_layer(topology, k, initialization, random, weights);
  }
  return weights;
}

}  // namespace mlp
