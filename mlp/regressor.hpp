// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "../datasets/dataset.hpp"
#include "params/param_rules.hpp"
#include "params/params.hpp"
#include "result/fit_result.hpp"
#include "training/fit/fit_model.hpp"
#include "training/fit_options.hpp"

namespace mlp {

/// Trains a network that predicts a number, or several.
///
/// Each number is a linear output, and the loss is half the sum of their squared
/// errors.
class Regressor {
 public:
  /// \param params  task is set to regression
  /// \throws ParamError naming the parameter, its valid values and its value
  explicit Regressor(Params params) : params_(std::move(params)) {
    params_.task = Task::kRegression;
    validate(params_);
  }

  [[nodiscard]] const Params& params() const { return params_; }

  /// Trains a model. Its raw predictions are the predicted numbers.
  ///
  /// \param data  features [num_features x num_instances] and labels
  ///              [num_instances] or targets [num_outputs x num_instances], all
  ///              finite
  /// \throws the same errors as Classifier::fit()
  [[nodiscard]] FitResult fit(const datasets::Dataset& data,
                              const FitOptions& options = {}) const {
    return fit_model(params_, data, options);
  }

  /// Trains a model on instances whose features may be packed, which halves the
  /// memory if the fit owns them.
  [[nodiscard]] FitResult fit(TrainingInstances& instances,
                              const FitOptions& options = {}) const {
    return fit_model(params_, instances, options);
  }

 private:
  Params params_;
};

}  // namespace mlp
