// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The memory of the kernels of L-BFGS.

#include "../../core/index.hpp"

namespace mlp::cuda {

/// The use of the trial point before the next direction is chosen.
enum class LbfgsMove : Index {
  kNone,   ///< nothing
  kTake,   ///< it becomes x
  kAccept  ///< it becomes x, and the step is the newest correction
};

/// The decisions of the host before it starts work. The kernels read it from the
/// memory of the device, so that captured work can be repeated.
struct LbfgsCommand {
  LbfgsMove move = LbfgsMove::kNone;
  Index newest = 0;           ///< the slot of the newest correction
  Index num_corrections = 0;  ///< they use the slots 0 .. num_corrections - 1

  /// The length of the next trial step, in directions, or if
  /// is_step_normalised, in units of x.
  double step = 1.0;
  Index is_step_normalised = 0;

  double stop_request = 0.0;  ///< 1 if this rank wants to stop
};

/// The numbers that the host reads after the work.
struct LbfgsResults {
  double value = 0.0;               ///< at the trial point
  double stop_requests = 0.0;       ///< of all ranks
  double slope = 0.0;               ///< there: gradient.direction
  double gradient_squares = 0.0;    ///< there: |gradient|^2
  double direction_gradient = 0.0;  ///< gradient.direction at x
  double direction_squares = 0.0;   ///< |direction|^2
  double step = 0.0;                ///< of the trial point, in directions
  Index is_refused = 0;             ///< there is no direction
};

/// The vectors of L-BFGS and what belongs to them, in the memory of the device.
///
/// The corrections s = x' - x and y = g' - g form a ring of slots: the correction
/// that is one older than that of slot i has slot (i + capacity - 1) % capacity.
struct LbfgsMemory {
  Index num_weights = 0;
  Index capacity = 0;  ///< slots

  LbfgsCommand* command = nullptr;  // [1]
  LbfgsResults* results = nullptr;  // [1]

  double* x = nullptr;               // [num_weights]
  double* gradient = nullptr;        // [num_weights]
  double* direction = nullptr;       // [num_weights]
  double* trial_x = nullptr;         // [num_weights]
  double* trial_gradient = nullptr;  // [num_weights]
  double* s = nullptr;               // [num_weights x capacity]
  double* y = nullptr;               // [num_weights x capacity]
  double* coefficients = nullptr;    // of the recursion   [2 capacity + 1]

  double* sy = nullptr;        // s of the row, y of the column, if not older
                               // [capacity x capacity]
  double* yy = nullptr;        // [capacity x capacity]
  double* products = nullptr;  // of a slot with newest y and gradient:
                               // s.y, s.g, y.y, y.g   [4 x capacity]

  double* partials = nullptr;  // of sums
};

/// Returns the slot of a correction; the newest has age 0.
[[nodiscard]] constexpr Index slot_of(const LbfgsCommand& command,
                                      Index capacity, Index age) {
  return (command.newest + capacity - age) % capacity;
}

}  // namespace mlp::cuda
