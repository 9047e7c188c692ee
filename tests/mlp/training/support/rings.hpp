// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "../../../../core/spark_random.hpp"
#include "../../../../core/types.hpp"
#include "../../../../datasets/dataset.hpp"
#include "../../../../mlp/params/params.hpp"
#include "../../random_instances.hpp"

namespace mlp::testing {

/// All solvers; the first two see all instances at once.
inline constexpr Solver kSolvers[] = {Solver::kLbfgs, Solver::kGradientDescent,
                                      Solver::kSgd, Solver::kAdam,
                                      Solver::kAdamW};

/// A short training of the rings.
inline Params ring_params(Solver solver,
                          std::vector<Index> layers = {2, 4, 5, 3}) {
  Params params;
  params.layers = std::move(layers);
  params.solver = solver;
  params.seed = 7;
  params.max_iter = 5;
  params.batch_size = 8;
  params.step_size = 0.1;
  return params;
}

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
