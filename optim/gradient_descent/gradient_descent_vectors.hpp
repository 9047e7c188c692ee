// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/byte_stream.hpp"
#include "../../core/types.hpp"

namespace mlp::optim {

/// The vectors of gradient descent and what is computed with them, in the memory
/// of the host or of a device: x, the x before the last step, and the gradient.
///
/// An evaluation that throws does not change the gradient.
class GradientDescentVectors {
 public:
  virtual ~GradientDescentVectors() = default;

  /// Sets x.
  ///
  /// \param x  [num_weights]
  virtual void start(const Vector& x) = 0;

  /// Evaluates the objective at x and keeps the gradient.
  ///
  /// \return the value
  virtual double evaluate() = 0;

  /// Subtracts step_size times the gradient from x.
  virtual void step(double step_size) = 0;

  /// Returns |x|.
  [[nodiscard]] virtual double norm() = 0;

  /// Returns the distance of x from the x before the last step.
  [[nodiscard]] virtual double moved_distance() = 0;

  /// Returns x, valid until the next call of start() or step().
  [[nodiscard]] virtual const Vector& x() = 0;

  /// Writes the point of the last evaluation and its gradient.
  ///
  /// \param is_moved  true if x has made a step since that evaluation
  virtual void save(ByteWriter& state, bool is_moved) const = 0;

  /// Reads what save() wrote.
  ///
  /// \throws ModelError if the state ends early or has another size
  virtual void restore(ByteReader& state, Index num_weights) = 0;
};

}  // namespace mlp::optim
