// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "../../core/types.hpp"
#include "topology.hpp"

namespace mlp {

/// The slice of one layer in a flat vector, as matrices without a copy.
///
/// The flat vector has num_weights() numbers: weights or a gradient.
///
/// \tparam Number  double or float; const for a read-only view
template <typename Number>
struct BasicLayerView {
  using Plain = std::remove_const_t<Number>;
  template <typename Dense>
  using Map = Eigen::Map<
      std::conditional_t<std::is_const_v<Number>, const Dense, Dense>>;
  using MatrixMap = Map<Eigen::Matrix<Plain, Eigen::Dynamic, Eigen::Dynamic>>;
  using VectorMap = Map<Eigen::Matrix<Plain, Eigen::Dynamic, 1>>;

  MatrixMap weights;     ///< [output_size x input_size]
  VectorMap biases;      ///< [output_size]
  MatrixMap projection;  ///< [output_size x input_size], or empty
  VectorMap scales;      ///< of batch normalisation [output_size], or empty
  VectorMap shifts;      ///< of batch normalisation [output_size], or empty
};

using LayerView = BasicLayerView<double>;
using ConstLayerView = BasicLayerView<const double>;

/// Returns the view of layer k of a flat vector.
///
/// \param flat  [topology.num_weights()], must outlive the view
template <typename Number>
BasicLayerView<Number> view_layer(const Topology& topology, Index k,
                                  Number* flat) {
  const Index outputs = topology.output_size(k);
  const Index inputs = topology.input_size(k);
  const Index projected = topology.has_projection(k) ? outputs : 0;
  const Index normalised = topology.has_batch_norm(k) ? outputs : 0;
  return {{flat + topology.weight_offset(k), outputs, inputs},
          {flat + topology.bias_offset(k), outputs},
          {flat + topology.projection_offset(k), projected, inputs},
          {flat + topology.scale_offset(k), normalised},
          {flat + topology.shift_offset(k), normalised}};
}

}  // namespace mlp
