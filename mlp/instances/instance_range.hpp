// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "../../core/types.hpp"

namespace mlp {

/// A run of consecutive instances, as a backend reads it. Owns nothing.
struct InstanceRange {
  Index size = 0;
  const double* features = nullptr;      ///< [num_features x size]
  const double* weights = nullptr;       ///< of the instances   [size]
  const std::int32_t* labels = nullptr;  ///< kSoftmaxNll: classes   [size]

  /// Of the other losses   [num_outputs x size]
  const double* targets = nullptr;

  /// Instance of the whole that this was sliced from.
  Index first = 0;

  /// What instance i weighs: 1 where none has a weight.
  [[nodiscard]] double weight(Index i) const {
    return weights ? weights[i] : 1.0;
  }

  /// What instances weigh together.
  ///
  /// \param instances  positions, a range of Index
  template <typename Instances>
  [[nodiscard]] double weight_sum(const Instances& instances) const {
    double sum = 0.0;
    for (const Index i : instances) sum += weight(i);
    return sum;
  }

  /// What all of them weigh together.
  [[nodiscard]] double weight_sum() const {
    double sum = 0.0;
    for (Index i = 0; i < size; ++i) sum += weight(i);
    return sum;
  }

  /// Returns some of these instances.
  ///
  /// \param begin  0-based, in this range
  [[nodiscard]] InstanceRange slice(Index begin, Index count,
                                    Index num_features,
                                    Index num_outputs) const {
    InstanceRange part = *this;
    part.size = count;
    part.first += begin;
    part.features += begin * num_features;
    if (weights) part.weights += begin;
    if (labels) part.labels += begin;
    if (targets) part.targets += begin * num_outputs;
    return part;
  }
};

}  // namespace mlp
