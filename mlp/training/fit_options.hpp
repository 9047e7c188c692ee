// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "../../datasets/dataset.hpp"
#include "../../optim/iteration_callback.hpp"
#include "../backend/backend.hpp"
#include "../backend/precision.hpp"
#include "../backend/reference_backend.hpp"
#include "../checkpoint/checkpoint_options.hpp"
#include "../exchange/distribution.hpp"

namespace mlp {

class Model;

/// How a fit runs, and what it has beside data and hyper-parameters.
struct FitOptions {
  /// Never changes the result but for its rounding.
  const Backend* backend = &reference_backend();

  /// What the backend evaluates in. float32 halves the time and leaves Spark's
  /// path after a few iterations.
  Precision precision = Precision::kFloat64;

  /// Never changes the result.
  int num_threads = 1;

  optim::IterationCallback on_iteration;

  /// Where it turns true, also from a signal handler or another thread, the fit
  /// returns the last accepted weights. May be null.
  const std::atomic<bool>* is_stopping = nullptr;

  /// Instances that are not trained on: the fit stops where their loss has not
  /// fallen for params.patience iterations or epochs, and returns the weights
  /// with the lowest. May be null.
  const datasets::Dataset* validation = nullptr;

  /// Where to start from: layers of the same shapes take this model's weights,
  /// the others are drawn. May be null.
  const Model* warm_start = nullptr;

  CheckpointOptions checkpoint;

  /// How the training is spread over workers; by default it is not.
  Distribution distribution;
};

}  // namespace mlp
