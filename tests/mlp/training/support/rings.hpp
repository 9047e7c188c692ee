// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../../../core/spark_random.hpp"
#include "../../../../core/types.hpp"
#include "../../../../datasets/dataset.hpp"
#include "../../random_instances.hpp"

namespace mlp::testing {

/// Three classes of which no straight line is the border.
inline datasets::Dataset make_rings(Index size) {
  SparkRandom random(17);
  datasets::Dataset data;
  data.features = 4.0 * draw_matrix(random, 2, size).array() - 2.0;
  data.labels.resize(size);
  for (Index i = 0; i < size; ++i) {
    const double radius = data.features.col(i).norm();
    data.labels[i] = radius < 1.0 ? 0.0 : radius < 1.6 ? 1.0 : 2.0;
  }
  return data;
}

}  // namespace mlp::testing
