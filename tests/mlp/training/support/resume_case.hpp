// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../../../../datasets/dataset.hpp"
#include "../../../../mlp/backend/precision.hpp"
#include "../../../../mlp/params/param_rules.hpp"
#include "../../../../mlp/params/params.hpp"
#include "../../../../mlp/training/fit_options.hpp"
#include "../../../../mlp/training/train.hpp"
#include "rings.hpp"

namespace mlp::testing {

/// A small training with a state of its own kind: 10 instances, 4 layers at most,
/// 3 mini-batches in an epoch.
struct ResumeCase {
  std::string name;
  Params params;
  Precision precision = Precision::kFloat64;
  bool has_validation = false;
};

/// One training for each kind of state that a solver can save.
inline std::vector<ResumeCase> resume_cases() {
  Params params;
  params.layers = {2, 2, 3};
  params.seed = 7;
  params.max_iter = 1000;
  params.tol = 0.0;
  params.history_size = 2;
  params.batch_size = 4;
  params.patience = 100;
  std::vector<ResumeCase> cases;
  const auto add = [&](const char* name, Solver solver) -> ResumeCase& {
    ResumeCase added{name, params};
    added.params.solver = solver;
    return cases.emplace_back(added);
  };
  add("l-bfgs", Solver::kLbfgs);
  add("l-bfgs with validation", Solver::kLbfgs).has_validation = true;
  add("gd", Solver::kGradientDescent);
  add("sgd", Solver::kSgd);
  add("sgd without momentum", Solver::kSgd).params.momentum = 0.0;
  add("adam", Solver::kAdam);
  add("adam in float32", Solver::kAdam).precision = Precision::kFloat32;
  ResumeCase& whole = add("adamw with all", Solver::kAdamW);
  whole.has_validation = true;
  whole.params.batch_norm = true;
  whole.params.dropout = {0.2};
  whole.params.reg_param = 0.1;
  return cases;
}

/// Trains as the case says.
inline TrainedWeights run_case(const ResumeCase& one, FitOptions options) {
  static const datasets::Dataset data = make_rings(10);
  options.precision = one.precision;
  if (one.has_validation) options.validation = &data;
  return train(topology_of(one.params), one.params, data, options);
}

/// The last state that a training saves in its first 4 iterations or epochs: with
/// mini-batches, one within an epoch.
inline std::string save_state(const ResumeCase& one) {
  std::string state;
  FitOptions options;
  const bool is_by_steps = has_mini_batches(one.params.solver);
  options.checkpoint.is_due = [&](Index, bool is_mid_epoch) {
    return is_mid_epoch == is_by_steps;
  };
  options.checkpoint.write = [&](const std::string& bytes) { state = bytes; };
  options.on_iteration = [](const optim::Iteration& iteration) {
    return iteration.iteration < 4;
  };
  run_case(one, options);
  return state;
}

/// Resumes from any bytes, until the next iteration or epoch.
///
/// \throws ModelError if the bytes are not a state of this training
inline TrainedWeights resume_once(const ResumeCase& one,
                                  const std::string& state) {
  FitOptions options;
  options.checkpoint.state = state;
  options.on_iteration = [](const optim::Iteration&) { return false; };
  return run_case(one, options);
}

}  // namespace mlp::testing
