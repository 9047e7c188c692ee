// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>

#include "../../datasets/dataset.hpp"
#include "../../optim/iteration_callback.hpp"
#include "../backend/backend.hpp"
#include "../backend/precision.hpp"
#include "../backend/reference_backend.hpp"
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
struct FitOptions {
  /// Changes only the rounding of the result.
  const Backend* backend = &reference_backend();

  /// The precision in which the backend evaluates. float32 halves the time; its
  /// results differ from Spark's after a few iterations.
  Precision precision = Precision::kFloat64;

  /// Never changes the result.
  int num_threads = 1;

  optim::IterationCallback on_iteration;

  /// When it becomes true, also by a signal handler or another thread, the fit
  /// returns the last accepted weights. May be null.
  const std::atomic<bool>* is_stopping = nullptr;

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

  /// The memory of the features of the data, lent to the fit, or null. Kernels copy
  /// features in the order of their arithmetic; a fit to which they are lent gives
  /// the memory of the features to the system meanwhile, and writes the same numbers
  /// there before it returns or throws. Nothing else may read them until then, such
  /// as on_iteration or validation. Private memory, not a mapped file.
  double* lent_features = nullptr;

  /// Lets the fit write lent features back as the kernels copied them: rounded, if
  /// precision is float32. Otherwise, features that would be rounded stay in memory.
  bool may_round_lent_features = false;

  /// A model to start from: layers of the same shapes take its weights, the
  /// others get new initial weights. May be null.
  const Model* warm_start = nullptr;

  /// How the fit saves its state, and the state that it resumes from.
  CheckpointOptions checkpoint;

  /// How the training is spread over ranks; by default there is one rank.
  Distribution distribution;
};

}  // namespace mlp
