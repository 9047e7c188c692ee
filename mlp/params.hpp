// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../core/spark_random.hpp"
#include "../core/types.hpp"

namespace mlp {

enum class Solver { kLbfgs, kGradientDescent };

/// The hyper-parameters of Spark's MultilayerPerceptronClassifier, with Spark's
/// defaults. param_table.hpp says what each means and accepts.
struct Params {
  std::vector<Index> layers;
  Index max_iter = 100;
  double tol = 1e-6;
  Index block_size = 128;
  Solver solver = Solver::kLbfgs;
  double step_size = 0.03;

  /// Java's hashCode of the class name
  /// org.apache.spark.ml.classification.MultilayerPerceptronClassifier
  std::int64_t seed = -763139545;

  std::optional<Vector>
      initial_weights;             ///< [num_weights]; then seed is unused
  std::vector<double> thresholds;  ///< [num_classes], or empty for none

  /// Which Spark's initial weights a seed gives.
  SeedHash seed_hash = SeedHash::kSpark3;
};

}  // namespace mlp
