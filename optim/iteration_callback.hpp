// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "../core/types.hpp"
#include "point.hpp"
#include "resumable.hpp"

/// The callback that watches and can stop a solver run.
namespace mlp::optim {

/// The state of a solver after one iteration, as passed to a callback.
struct Iteration {
  Index iteration = 0;  ///< position in objective_history; 0 is the start
  double objective = 0.0;
  double step_length = 0.0;  ///< accepted multiple of the direction; 0 at start
  Index evaluations = 0;     ///< so far
  Point x;                   ///< [num_weights], valid only during the call

  /// Saves the state for a later resume. Valid during the call and during the
  /// evaluations before the next call; null if the solver cannot save.
  const Resumable* solver = nullptr;

  /// The loss of x on a validation set; nothing without one.
  std::optional<double> validation_loss = std::nullopt;
};

/// A function called after each iteration, which can stop the run.
///
/// It returns true to continue and false to stop with the reason
/// stoppedByCallback. An empty function never stops the run.
using IterationCallback = std::function<bool(const Iteration&)>;

}  // namespace mlp::optim
