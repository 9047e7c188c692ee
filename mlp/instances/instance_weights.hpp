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

namespace mlp {

/// Computes the weight of each instance: its own times the weight of its class.
///
/// \param labels  class indices   [num_instances], or empty without classes
/// \return [num_instances], or empty if neither the data nor params have weights
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

/// Refuses weights that sum to 0.
///
/// \param weights  instance_weights()
/// \throws DataError if there are weights and all are 0
inline void check_weight_sum(const Vector& weights, const std::string& source) {
  if (weights.size() == 0 || weights.sum() > 0.0) return;
  throw DataError(source,
                  "instance weights times class weights must have a sum > 0; "
                  "every instance has weight 0");
}

}  // namespace mlp
