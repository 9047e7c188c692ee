// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "../../activations/activation.hpp"
#include "../../core/names.hpp"
#include "../../core/spark_random.hpp"
#include "../../core/types.hpp"
#include "../../optim/step_schedule.hpp"
#include "../network/initialization.hpp"
#include "numeric_encoding.hpp"
#include "shuffle.hpp"

namespace mlp {

/// How the objective is minimised: by all instances at once, or by mini-batches.
enum class Solver { kLbfgs, kGradientDescent, kSgd, kAdam, kAdamW };

inline constexpr auto kSolverNames = std::to_array<Named<Solver>>({
    {Solver::kLbfgs, "l-bfgs"},
    {Solver::kGradientDescent, "gd"},
    {Solver::kSgd, "sgd"},
    {Solver::kAdam, "adam"},
    {Solver::kAdamW, "adamw"},
});

/// Returns true if a solver uses mini-batches; maxIter then counts epochs.
[[nodiscard]] constexpr bool has_mini_batches(Solver solver) {
  return solver != Solver::kLbfgs && solver != Solver::kGradientDescent;
}

/// What the last layer predicts: classes or numbers.
enum class Task { kClassification, kRegression };

inline constexpr auto kTaskNames = std::to_array<Named<Task>>({
    {Task::kClassification, "classification"},
    {Task::kRegression, "regression"},
});

/// The hyper-parameters of Spark's MultilayerPerceptronClassifier, with Spark's
/// defaults, and further ones, which are off by default. param_table.hpp
/// describes the meaning and the valid values of each.
struct Params {
  std::vector<Index> layers;
  Index max_iter = 100;
  double tol = 1e-6;
  std::optional<double> gradient_tol;  ///< if not set, tol stops l-bfgs
  Index block_size = 128;
  Solver solver = Solver::kLbfgs;

  /// If not set, the default of the solver is used: resolved_step_size().
  std::optional<double> step_size;

  /// Java's hashCode of the class name
  /// org.apache.spark.ml.classification.MultilayerPerceptronClassifier
  std::int64_t seed = -763139545;

  std::optional<Vector>
      initial_weights;             ///< [num_weights]; then seed is unused
  std::vector<double> thresholds;  ///< [num_classes], or empty for none

  /// The version of Spark whose initial weights a seed gives.
  SeedHash seed_hash = SeedHash::kSpark3;

  Task task = Task::kClassification;

  /// With quantiles, layers still begin with the number of features.
  NumericEncoding numeric_encoding;

  /// The activations of the hidden layers: one for all, or one for each; empty
  /// means sigmoid.
  std::vector<Activation> activation;
  Initialization init = Initialization::kSpark;
  bool residual = false;
  bool one_output = false;
  bool batch_norm = false;
  std::vector<double> dropout;  ///< as activation; empty means none

  double reg_param = 0.0;
  std::vector<double> class_weights;  ///< [num_classes], or empty for 1 each
  double label_smoothing = 0.0;
  double clip_norm = 0.0;   ///< 0 clips nothing
  double clip_value = 0.0;  ///< 0 clips nothing
  Index patience = 10;
  Index history_size = 10;

  Index batch_size = 128;
  double momentum = 0.0;
  bool nesterov = false;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  bool in_order = false;
  Shuffle shuffle = Shuffle::kAuto;
  Index stall_epochs = 0;  ///< 0 never stops
  optim::StepSchedule schedule;
  std::vector<Index> freeze;  ///< layer numbers, counted from 1
};

/// Returns the step size, or the default of the solver if none is set: Spark's
/// default for Spark's solvers, PyTorch's for the others.
[[nodiscard]] inline double resolved_step_size(const Params& params) {
  if (params.step_size) return *params.step_size;
  return has_mini_batches(params.solver) ? 0.001 : 0.03;
}

}  // namespace mlp
