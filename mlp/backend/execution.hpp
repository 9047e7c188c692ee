// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "backend.hpp"
#include "precision.hpp"
#include "reference_backend.hpp"

namespace mlp {

/// How a computation runs. It changes only the rounding of the result.
struct Execution {
  const Backend* backend = &reference_backend();

  /// Never changes the result.
  int num_threads = 1;

  /// The precision in which the backend evaluates. float32 halves the time; its
  /// results differ from Spark's after a few iterations.
  Precision precision = Precision::kFloat64;

  /// When it becomes true, also by a signal handler or another thread, the
  /// computation stops. May be null.
  const std::atomic<bool>* is_stopping = nullptr;
};

}  // namespace mlp
