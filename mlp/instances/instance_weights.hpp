// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../params/params.hpp"

namespace mlp {

namespace detail {

/// \throws DataError that names an instance: its line, if the data are of a file
[[noreturn]] inline void refuse_instance(const datasets::Dataset& data,
                                         Index instance,
                                         const std::string& sentence) {
  const datasets::InstancePlace place = data.place_of(instance);
  throw DataError(place.file, place.position, sentence);
}

}  // namespace detail

/// Refuses weights of instances that no mean can be taken with.
///
/// \param data  weights [num_instances] or none
/// \throws ShapeError for another number of weights; DataError naming the first
///         instance whose weight is negative or not finite
inline void check_instance_weights(const datasets::Dataset& data) {
  const Vector& weights = data.weights;
  if (weights.size() == 0) return;
  if (weights.size() != data.num_instances()) {
    throw ShapeError("weights must be " + std::to_string(data.num_instances()) +
                     ", one per instance; got " +
                     std::to_string(weights.size()));
  }
  for (Index i = 0; i < weights.size(); ++i) {
    if (weights[i] >= 0.0 && std::isfinite(weights[i])) continue;
    detail::refuse_instance(data, i,
                            "weights must be finite and >= 0; instance " +
                                std::to_string(i) + " has weight " +
                                format_double(weights[i]));
  }
}

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

/// Refuses weights whose sum is 0 or not finite.
///
/// \param sum  of instance_weights(), over all ranks
/// \throws DataError
inline void check_weight_sum(double sum, const std::string& source) {
  if (sum > 0.0 && std::isfinite(sum)) return;
  throw DataError(
      source,
      "instance weights times class weights must have a finite sum "
      "> 0; " +
          (sum == 0.0 ? "they are all zero" : "got " + format_double(sum)));
}

}  // namespace mlp
