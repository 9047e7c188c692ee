// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <stdexcept>

#include "../core/types.hpp"

namespace mlp::optim {

/// A function f(x) that a solver minimises, together with its gradient.
///
/// value_and_gradient(x, gradient) returns f(x) and overwrites gradient, which
/// has the size of x   [num_weights]. Both are computed in one call because
/// they share most of the work. The value may be NaN or infinite: the solvers
/// treat this as a bad point and not as an error. The call may throw
/// Interrupted.
template <typename F>
concept Objective = requires(F f, const Vector& x, Vector& gradient) {
  { f.value_and_gradient(x, gradient) } -> std::same_as<double>;
};

/// Thrown by an objective to interrupt an evaluation. The solver then returns
/// the last accepted x with the reason stoppedByCallback.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("the evaluation was interrupted") {}
};

}  // namespace mlp::optim
