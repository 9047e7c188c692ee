// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <stdexcept>

#include "../core/types.hpp"

namespace mlp::optim {

/// What a solver minimises: f(x) and its gradient, together, because nearly all
/// of the work is shared.
///
/// value_and_gradient(x, gradient) returns f(x) and overwrites gradient, which
/// has x's size   [num_weights]. It may return NaN or infinity; the solvers
/// treat both as bad points, not as errors. It may throw Interrupted.
template <typename F>
concept Objective = requires(F f, const Vector& x, Vector& gradient) {
  { f.value_and_gradient(x, gradient) } -> std::same_as<double>;
};

/// Thrown by an objective to leave a long evaluation. The solver then returns
/// the last accepted x with the reason stoppedByCallback.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("the evaluation was interrupted") {}
};

}  // namespace mlp::optim
