// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "../../core/memory/available_memory.hpp"
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

  /// What has the features; null if they are the caller's rows. If a copy has replaced
  /// the rows, or the features are in a file, `features` is null: rows() reads them.
  FeatureStore* store = nullptr;

  /// Where these instances begin in those of the store.
  Index in_store = 0;

  /// Where this slice begins in the instances that an evaluator was bound to.
  Index first = 0;

  /// True if a copy of these features may replace the rows: they are all of a store in
  /// memory.
  [[nodiscard]] bool may_replace_rows() const {
    return store != nullptr && !store->is_stored() &&
           size == store->num_instances();
  }

  /// True if the features should be copied in the order of a backend's arithmetic: the
  /// copy replaces them, or takes at most half of the memory that is left.
  ///
  /// \param bytes  of the copy
  [[nodiscard]] bool may_be_copied(double bytes) const {
    if (features == nullptr || size == 0) return false;
    return may_replace_rows() || may_copy(bytes);
  }

  /// Returns the features of some of these instances: in place, or copied to a buffer.
  ///
  /// \param         begin   0-based, in this range
  /// \param[in,out] buffer  for the copy; its size may change
  /// \return [num_features x count]
  /// \throws as FeatureStore::read()
  [[nodiscard]] Eigen::Map<const Matrix> rows(Index begin, Index count,
                                              Index num_features,
                                              Matrix& buffer) const {
    if (features == nullptr)
      return store->rows(in_store + begin, count, buffer);
    return {features + begin * num_features, num_features, count};
  }

  /// Copies the features of some of these instances. Those of a store that follow each
  /// other are read at once.
  ///
  /// \param      places  of the instances   [count]
  /// \param[out] to      [num_features x count]
  /// \throws as FeatureStore::read()
  void read_rows(const Index* places, Index count, Index num_features,
                 double* to) const {
    if (features == nullptr) {
      std::vector<Index> in_all(places, places + count);
      for (Index& place : in_all) place += in_store;
      return store->read_at(std::move(in_all), to);
    }
    for (Index j = 0; j < count; ++j) {
      std::copy_n(features + places[j] * num_features, num_features,
                  to + j * num_features);
    }
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
    range.in_store += begin;
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
