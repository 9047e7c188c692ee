// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Hyper-parameters and options of the preset, for tests of the selection.

#include <optional>

#include "../../../datasets/dataset.hpp"
#include "../../../mlp/params/preset.hpp"
#include "../../../mlp/training/fit_options.hpp"

namespace mlp::test {

inline Params modern_params(const datasets::Dataset& data,
                            Index num_outputs = 2,
                            Task task = Task::kClassification) {
  Params params;
  params.task = task;
  params.seed = 1;
  apply_modern(params,
               {data.num_features(), num_outputs,
                static_cast<double>(data.num_instances()), std::nullopt});
  return params;
}

inline FitOptions standardizing(int num_threads = 1) {
  FitOptions options;
  options.is_standardizing = true;
  options.num_threads = num_threads;
  return options;
}

}  // namespace mlp::test
