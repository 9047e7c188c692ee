// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "../core/types.hpp"
#include "resumable.hpp"

namespace mlp::optim {

/// What a callback sees: the state whose objective was just recorded.
struct Iteration {
  Index iteration = 0;  ///< position in objective_history; 0 is the start
  double objective = 0.0;
  double step_length = 0.0;  ///< accepted multiple of the direction; 0 at first
  Index evaluations = 0;     ///< so far
  const Vector& x;           ///< [num_weights], valid during the call only

  /// Writes what a later run resumes from; valid during the call and during the
  /// evaluations until the next one, null where the solver cannot.
  const Resumable* solver = nullptr;
};

/// Watches a run and can stop it: true goes on, false stops after this
/// iteration with the reason stoppedByCallback. An empty function goes on.
using IterationCallback = std::function<bool(const Iteration&)>;

}  // namespace mlp::optim
