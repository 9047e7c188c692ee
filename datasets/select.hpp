// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "../core/error.hpp"
#include "../core/types.hpp"
#include "dataset.hpp"

/// Selection of instances by index.
namespace mlp::datasets {

namespace detail {

/// Returns the explicit zeros of one instance.
inline std::span<const StoredZero> stored_zeros_of(const Dataset& data,
                                                   Index instance) {
  const auto begin = std::partition_point(
      data.stored_zeros.begin(), data.stored_zeros.end(),
      [&](const StoredZero& zero) { return zero.instance < instance; });
  const auto end = std::partition_point(
      begin, data.stored_zeros.end(),
      [&](const StoredZero& zero) { return zero.instance == instance; });
  return {begin, end};
}

/// Copies all but the features of the chosen instances.
///
/// \throws as select()
[[nodiscard]] inline Dataset select_labels(const Dataset& data,
                                           std::span<const Index> instances) {
  const auto count = static_cast<Index>(instances.size());
  Dataset chosen;
  chosen.labels.resize(data.labels.size() == 0 ? 0 : count);
  chosen.targets.resize(data.targets.rows(),
                        data.targets.size() == 0 ? 0 : count);
  chosen.target_names = data.target_names;
  chosen.weights.resize(data.weights.size() == 0 ? 0 : count);
  chosen.feature_names = data.feature_names;
  chosen.columns = data.columns;
  chosen.are_indicators = data.are_indicators;
  chosen.label_name = data.label_name;
  chosen.source = data.source;
  chosen.files = data.files;
  chosen.label_source = data.label_source;
  chosen.vector_kind = data.vector_kind;
  for (Index to = 0; to < count; ++to) {
    const Index from = instances[static_cast<std::size_t>(to)];
    if (from < 0 || from >= data.num_instances()) {
      throw ShapeError("instances must be 0.." +
                       std::to_string(data.num_instances() - 1) + ", got " +
                       std::to_string(from));
    }
    const auto at = static_cast<std::size_t>(from);
    if (data.labels.size() != 0) chosen.labels[to] = data.labels[from];
    if (data.targets.size() != 0) {
      chosen.targets.col(to) = data.targets.col(from);
    }
    if (data.weights.size() != 0) chosen.weights[to] = data.weights[from];
    if (!data.groups.empty()) chosen.groups.push_back(data.groups[at]);
    if (!data.label_texts.empty()) {
      chosen.label_texts.push_back(data.label_texts[at]);
    }
    if (!data.lines.empty()) chosen.lines.push_back(data.lines[at]);
    for (const StoredZero& zero : detail::stored_zeros_of(data, from)) {
      chosen.stored_zeros.push_back({to, zero.feature});
    }
  }
  return chosen;
}

}  // namespace detail

/// Copies the chosen instances with their labels and all other data. Stored features, and
/// borrowed ones that are too large to be copied, stay where they are.
///
/// \param instances  0-based, in the desired order; may repeat   [any size]
/// \returns the chosen instances in one partition
/// \throws ShapeError naming the first index out of range
[[nodiscard]] inline Dataset select(const Dataset& data,
                                    std::span<const Index> instances) {
  Dataset chosen = detail::select_labels(data, instances);
  const double bytes = sizeof(double) *
                       static_cast<double>(data.num_features()) *
                       static_cast<double>(instances.size());
  if (data.borrowed.data != nullptr && !may_copy(bytes)) {
    chosen.borrowed = data.borrowed;
    chosen.store_borrowed();
  } else {
    chosen.stored = data.stored;
  }
  if (chosen.stored) {
    chosen.stored = std::make_shared<const StoredFeatures>(
        chosen.stored->select({instances.begin(), instances.end()}));
    return chosen;
  }
  chosen.features.resize(data.num_features(),
                         static_cast<Index>(instances.size()));
  for (std::size_t i = 0; i < instances.size(); ++i) {
    chosen.features.col(static_cast<Index>(i)) =
        data.feature_matrix().col(instances[i]);
  }
  return chosen;
}

/// Selects consecutive instances whose features stay where they are.
///
/// \param data   must outlive the result
/// \param first  0-based
/// \throws ShapeError like select()
[[nodiscard]] inline Dataset view_run(const Dataset& data, Index first,
                                      Index count) {
  std::vector<Index> instances(static_cast<std::size_t>(count));
  std::iota(instances.begin(), instances.end(), first);
  if (data.stored) return select(data, instances);
  Dataset chosen = detail::select_labels(data, instances);
  const auto features = data.feature_matrix();
  chosen.borrowed = {features.data() + first * features.rows(), features.rows(),
                     count};
  return chosen;
}

/// Copies consecutive instances.
///
/// \param first  0-based
/// \throws ShapeError like select()
[[nodiscard]] inline Dataset select_run(const Dataset& data, Index first,
                                        Index count) {
  Dataset chosen = view_run(data, first, count);
  chosen.own_features();
  return chosen;
}

}  // namespace mlp::datasets
