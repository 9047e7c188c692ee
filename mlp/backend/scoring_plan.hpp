// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/types.hpp"

namespace mlp {

/// The forward pass of one network with fixed weights, prepared once so that a
/// row costs nothing but its arithmetic.
///
/// Thread safety: every member is const and may run at once with every other.
class ScoringPlan {
 public:
  virtual ~ScoringPlan() = default;

  /// Computes the outputs of the last layer, before the softmax. With the CPU
  /// kernels one row gives the bits that it gives among others.
  ///
  /// \param      features  [num_features x size]
  /// \param[out] raw       [num_classes x size]
  /// \cost 2 size S flops, S = sum of products of adjacent sizes
  virtual void compute_raw(const double* features, Index size,
                           double* raw) const = 0;

  /// Computes the same from and to single precision.
  virtual void compute_raw(const float* features, Index size,
                           float* raw) const = 0;
};

}  // namespace mlp
