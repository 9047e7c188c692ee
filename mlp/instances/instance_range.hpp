// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "../../core/types.hpp"
#include "feature_store.hpp"

namespace mlp {

/// Consecutive instances, as a backend reads them. It owns nothing.
struct InstanceRange {
  Index size = 0;
  const double* features = nullptr;      ///< [num_features x size]
  const double* weights = nullptr;       ///< of the instances   [size]
  const std::int32_t* labels = nullptr;  ///< kSoftmaxNll: classes   [size]

  /// Of the other losses   [num_outputs x size]
  const double* targets = nullptr;

  /// The owner of the features; null if they are the caller's. If a copy has replaced
  /// the rows, `features` is null, and the store has to be read.
  FeatureStore* store = nullptr;

  /// Where this slice begins in the instances that it was sliced from.
  Index first = 0;

  /// True if a copy of these features may replace the rows: they are all of a store.
  [[nodiscard]] bool may_replace_rows() const {
    return store != nullptr && size == store->num_instances();
  }

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
    if (features) range.features += begin * num_features;
    if (weights) range.weights += begin;
    if (labels) range.labels += begin;
    if (targets) range.targets += begin * num_outputs;
    return range;
  }
};

/// Calls pack(instances, first, count) for slices of all instances, from the last
/// slice to the first. The rows of a store are freed behind it, so that rows and copies
/// are not in memory at the same time; the instances that pack() gets have the features
/// where they are then.
///
/// \param size  instances of a slice; those of the last one may be fewer
template <typename Pack>
void pack_slices(InstanceRange instances, Index size, const Pack& pack) {
  for (Index end = instances.size; end > 0;) {
    const Index first = (end - 1) / size * size;
    pack(instances, first, end - first);
    if (instances.may_replace_rows()) {
      instances.features = instances.store->release_from(first);
    }
    end = first;
  }
}

}  // namespace mlp
