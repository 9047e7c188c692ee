// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "../../core/types.hpp"

namespace mlp {

/// A run of consecutive instances, as a backend reads it. It owns nothing.
struct InstanceRange {
  Index size = 0;
  const double* features = nullptr;      ///< [num_features x size]
  const double* weights = nullptr;       ///< of the instances   [size]
  const std::int32_t* labels = nullptr;  ///< kSoftmaxNll: classes   [size]

  /// Of the other losses   [num_outputs x size]
  const double* targets = nullptr;

  /// The memory of the features, or null. An evaluator that has copied them may
  /// release its pages (core/memory/page_release.hpp), and writes the same numbers
  /// there again before it is destroyed. Only bind() reads it.
  double* lent_features = nullptr;

  /// True if the numbers there may be rounded to the precision of the evaluator.
  bool may_round_lent_features = false;

  /// Where this slice begins in the instances that it was sliced from.
  Index first = 0;

  /// The weight of instance i: 1 if there are no weights.
  [[nodiscard]] double weight(Index i) const {
    return weights ? weights[i] : 1.0;
  }

  /// The sum of the weights of some instances.
  ///
  /// \param instances  positions, a range of Index
  template <typename Instances>
  [[nodiscard]] double weight_sum(const Instances& instances) const {
    double sum = 0.0;
    for (const Index i : instances) sum += weight(i);
    return sum;
  }

  /// The sum of the weights of all of these instances.
  [[nodiscard]] double weight_sum() const {
    double sum = 0.0;
    for (Index i = 0; i < size; ++i) sum += weight(i);
    return sum;
  }

  /// Returns a slice of these instances.
  ///
  /// \param begin  0-based, in this range
  [[nodiscard]] InstanceRange slice(Index begin, Index count,
                                    Index num_features,
                                    Index num_outputs) const {
    InstanceRange range = *this;
    range.size = count;
    range.first += begin;
    range.features += begin * num_features;
    if (lent_features) range.lent_features += begin * num_features;
    if (weights) range.weights += begin;
    if (labels) range.labels += begin;
    if (targets) range.targets += begin * num_outputs;
    return range;
  }
};

}  // namespace mlp
