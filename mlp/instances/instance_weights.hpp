// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../params/params.hpp"
#include "block_weights.hpp"

namespace mlp {

/// What instances count by the data and by their class: w c.
///
/// \param labels  class indices   [num_instances], or empty without classes
/// \return [num_instances], or empty where neither the data nor params weigh
[[nodiscard]] inline Vector instance_weights(
    const datasets::Dataset& data, const std::vector<std::int32_t>& labels,
    const Params& params) {
  if (data.weights.size() == 0 && params.class_weights.empty()) return {};
  Vector weights = data.weights.size() == 0
                       ? Vector::Ones(data.num_instances()).eval()
                       : data.weights;
  if (!params.class_weights.empty()) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      weights[static_cast<Index>(i)] *=
          params.class_weights[static_cast<std::size_t>(labels[i])];
    }
  }
  return weights;
}

/// \param weights  instance_weights()
/// \throws DataError where nothing counts
inline void check_weight_sum(const Vector& weights, const std::string& source) {
  if (weights.size() == 0 || weights.sum() > 0.0) return;
  throw DataError(source,
                  "instance weights times class weights must have a sum > 0; "
                  "every instance counts 0");
}

/// What each instance weighs in the objective of all instances: its share of the
/// sum of the weights, or where there are none, Spark's mean over blocks.
///
/// \param weights  instance_weights()
/// \return [num_instances], sums to 1
[[nodiscard]] inline Vector objective_weights(
    const Vector& weights, const std::vector<Index>& partition_sizes,
    Index block_size) {
  if (weights.size() == 0) return block_weights(partition_sizes, block_size);
  return weights / weights.sum();
}

}  // namespace mlp
