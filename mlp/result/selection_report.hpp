// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "../../core/types.hpp"
#include "../model/coverage.hpp"
#include "../params/numeric_encoding.hpp"

namespace mlp {

/// How a selected model does on rows that the trainings of its folds did not see.
struct UnseenScores {
  Index num_instances = 0;

  /// Of a classifier the mean negative log likelihood, of a regressor the mean
  /// squared error in units of the variance of each label, 1 - R2. As all scores,
  /// it is weighted as the training is.
  double loss = 0.0;

  double accuracy = 0.0;           ///< of a classifier
  double calibration_error = 0.0;  ///< of a classifier

  /// Of the prediction intervals or sets of the other folds' rows, if the model has
  /// any.
  std::optional<Coverage> coverage = std::nullopt;
};

/// What select_model() chose, and why.
struct SelectionReport {
  Index num_folds = 0;
  Index num_networks = 0;
  NumericEncoding encoding;  ///< of the model
  double reg_param = 0.0;

  /// How many of the networks read numbers without the bins of the model, and their
  /// penalty. A model file does not tell.
  Index num_linear = 0;
  double linear_reg_param = 0.0;

  double temperature = 1.0;  ///< of a classifier
  UnseenScores unseen;

  /// Of all trainings: evaluations times weights times instances.
  double num_multiplications = 0.0;
};

}  // namespace mlp
