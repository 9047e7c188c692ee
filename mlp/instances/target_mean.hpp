// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/types.hpp"
#include "instance_range.hpp"

namespace mlp {

/// Computes the mean of each target over a range, by the weights of its instances.
///
/// \param range  with targets   [num_outputs x size]
/// \return [num_outputs]; not finite if the sum of the weights is 0, or if the sum
///         of the targets overflows
[[nodiscard]] inline Vector mean_targets(const InstanceRange& range,
                                         Index num_outputs) {
  Vector sums = Vector::Zero(num_outputs);
  double weight_sum = 0.0;
  for (Index i = 0; i < range.size; ++i) {
    const Eigen::Map<const Vector> targets(range.targets + i * num_outputs,
                                           num_outputs);
    sums += range.weight(i) * targets;
    weight_sum += range.weight(i);
  }
  return sums / weight_sum;
}

}  // namespace mlp
