// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/types.hpp"

namespace mlp {

/// The forward pass of a network with fixed weights, prepared for scoring.
///
/// Batch normalisation must be folded into the weights before, and dropout is not
/// applied (batch_norm.hpp).
///
/// Thread safety: all members are const and may run at the same time.
class ScoringPlan {
 public:
  virtual ~ScoringPlan() = default;

  /// Computes the outputs of the last layer, before the softmax. With the CPU
  /// kernels a row has the same bits alone and among other rows.
  ///
  /// \param      features  [num_features x size]
  /// \param[out] raw       [num_classes x size]
  /// \cost 2 size S flops, S = sum of products of adjacent sizes
  virtual void compute_raw(const double* features, Index size,
                           double* raw) const = 0;

  /// Computes the same with input and output in single precision.
  virtual void compute_raw(const float* features, Index size,
                           float* raw) const = 0;

  /// Computes the same with input in single precision: the bits are those of the
  /// same numbers in double precision.
  virtual void compute_raw(const float* features, Index size,
                           double* raw) const = 0;

  /// Computes the output of a layer. That of the last layer is compute_raw().
  ///
  /// \param      layer   0 for the first hidden layer
  /// \param[out] output  [topology.output_size(layer) x size]
  virtual void compute_layer(const double* features, Index size, Index layer,
                             double* output) const = 0;
};

}  // namespace mlp
