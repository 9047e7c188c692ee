// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "../../core/spark_random.hpp"
#include "../../core/types.hpp"
#include "../../mlp/network/topology.hpp"

namespace mlp::testing {

/// Instances for a topology, with labels and targets at once so that they serve
/// both losses.
struct RandomInstances {
  Matrix features;                   ///< in [-1, 1) [num_features x size]
  Vector weights;                    ///< in [0, 1)   [size]
  std::vector<std::int32_t> labels;  ///< [size]
  Matrix targets;                    ///< in [0, 1)   [num_classes x size]

  [[nodiscard]] InstanceRange range() const {
    return {features.cols(), features.data(), weights.data(), labels.data(),
            targets.data()};
  }
};

inline Matrix draw_matrix(SparkRandom& random, Index rows, Index columns) {
  Matrix matrix(rows, columns);
  for (Index i = 0; i < matrix.size(); ++i) {
    matrix.data()[i] = random.next_double();
  }
  return matrix;
}

inline RandomInstances draw_instances(const Topology& topology, Index size,
                                      std::int64_t seed = 1) {
  SparkRandom random(seed);
  RandomInstances instances;
  instances.features =
      2.0 * draw_matrix(random, topology.num_features(), size).array() - 1.0;
  instances.weights = draw_matrix(random, size, 1);
  instances.targets = draw_matrix(random, topology.num_classes(), size);
  const auto num_classes = static_cast<double>(topology.num_classes());
  for (Index i = 0; i < size; ++i) {
    instances.labels.push_back(
        static_cast<std::int32_t>(random.next_double() * num_classes));
  }
  return instances;
}

}  // namespace mlp::testing
