// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>

#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../optim/iteration_callback.hpp"
#include "../backend/execution.hpp"
#include "../checkpoint/checkpoint_options.hpp"
#include "../exchange/distribution.hpp"
#include "../instances/label_scale.hpp"

namespace mlp {

class Model;

/// What a fit does if its objective or its weights are not finite at the end.
enum class OnDivergence {
  kThrow,   ///< throws DivergedError
  kReturn,  ///< returns the last weights, as Spark does
};

/// How a fit runs, and its inputs in addition to the data and the
/// hyper-parameters.
///
/// is_stopping of Execution ends the fit at the last accepted weights.
struct FitOptions : Execution {
  optim::IterationCallback on_iteration;

  /// The most evaluations of the objective by l-bfgs, which makes one or more in each
  /// iteration; other solvers make one. The fit stops at the last accepted weights,
  /// with the reason maxIter.
  Index max_evaluations = std::numeric_limits<Index>::max();

  /// Standardises the features, by the weights of the instances, and the labels of
  /// a regressor. The model gets the scaler, so it takes features as they are, as
  /// do data and validation. If warm_start has a scaler, that one is used. The
  /// features are copied.
  bool is_standardizing = false;

  /// True if the features are standardised already, or should stay as they are:
  /// nothing is then said about their scale.
  bool has_final_scale = false;

  OnDivergence on_divergence = OnDivergence::kThrow;

  /// The scale in which a regressor is trained; the model predicts labels as they
  /// are. The same on all ranks. is_standardizing sets it.
  std::optional<LabelScale> label_scale;

  /// Instances that are not trained on: the fit stops when their loss has not
  /// fallen for params.patience iterations or epochs, and returns the weights
  /// with the lowest loss. May be null.
  const datasets::Dataset* validation = nullptr;

  /// A model to start from: layers of the same shapes take its weights, the
  /// others get new initial weights. May be null.
  const Model* warm_start = nullptr;

  /// How the fit saves its state, and the state that it resumes from.
  CheckpointOptions checkpoint;

  /// How the training is spread over ranks; by default there is one rank.
  Distribution distribution;
};

}  // namespace mlp
