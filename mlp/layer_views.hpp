// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../core/types.hpp"
#include "topology.hpp"

namespace mlp {

/// One affine layer's slice of a flat vector of num_weights() numbers, weights
/// or gradient, seen as matrix and vector without a copy.
struct ConstLayerView {
  Eigen::Map<const Matrix> weights;  ///< [output_size x input_size]
  Eigen::Map<const Vector> biases;   ///< [output_size]
};

/// As ConstLayerView, writable.
struct LayerView {
  Eigen::Map<Matrix> weights;  ///< [output_size x input_size]
  Eigen::Map<Vector> biases;   ///< [output_size]
};

/// Views layer k of a flat vector.
///
/// \param flat  [topology.num_weights()], must outlive the view
inline ConstLayerView view_layer(const Topology& topology, Index k,
                                 const double* flat) {
  const Index outputs = topology.output_size(k);
  return {{flat + topology.weight_offset(k), outputs, topology.input_size(k)},
          {flat + topology.bias_offset(k), outputs}};
}

/// Views layer k of a flat vector, writable.
///
/// \param flat  [topology.num_weights()], must outlive the view
inline LayerView view_layer(const Topology& topology, Index k, double* flat) {
  const Index outputs = topology.output_size(k);
  return {{flat + topology.weight_offset(k), outputs, topology.input_size(k)},
          {flat + topology.bias_offset(k), outputs}};
}

}  // namespace mlp
