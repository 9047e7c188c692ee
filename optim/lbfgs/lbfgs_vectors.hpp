// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/byte_stream.hpp"
#include "../../core/types.hpp"
#include "../line_search/strong_wolfe.hpp"

namespace mlp::optim {

/// The vectors of L-BFGS and what is computed with them, in the memory of the host
/// or of a device. Lbfgs decides what is computed.
///
/// The vectors are x and its gradient, the direction, the trial point and its
/// gradient, and the corrections. An evaluation that throws changes neither x
/// nor its gradient. Only evaluate(), trial() and choose_direction() may wait
/// for other ranks: if they throw, the solver's state is saved first.
class LbfgsVectors {
 public:
  virtual ~LbfgsVectors() = default;

  /// Sets x.
  ///
  /// \param x  [num_weights]
  virtual void start(const Vector& x) = 0;

  /// Evaluates the objective at x and keeps the gradient. After a failed search
  /// it is called between choose_direction() and trial().
  ///
  /// \return the value
  virtual double evaluate() = 0;

  /// Computes the direction from the gradient at x and the corrections.
  ///
  /// \param has_unit_trial  the first trial will be at 1 / direction_norm(),
  ///                        otherwise at 1: a device may evaluate it at once
  /// \return false if there is none, as LbfgsHistory::descend()
  [[nodiscard]] virtual bool choose_direction(bool has_unit_trial) = 0;

  /// \return the product of gradient and direction
  [[nodiscard]] virtual double slope() = 0;

  [[nodiscard]] virtual double direction_norm() = 0;
  [[nodiscard]] virtual double gradient_norm() = 0;

  /// \return the largest absolute value of an element of the gradient
  [[nodiscard]] virtual double gradient_max() = 0;

  /// Evaluates the objective at the trial point x + t direction and keeps its
  /// gradient.
  virtual LinePoint trial(double t) = 0;

  /// Returns true if the trial point differs from x.
  [[nodiscard]] virtual bool has_moved() = 0;

  /// Takes the trial point as x and records the correction.
  virtual void accept() = 0;

  /// Forgets the corrections.
  virtual void clear_history() = 0;

  /// Returns x, valid until the next call of start() or accept().
  [[nodiscard]] virtual const Vector& x() = 0;

  /// Writes x and its gradient.
  virtual void save_point(ByteWriter& state) const = 0;

  /// Writes the corrections, as LbfgsHistory::save() does.
  virtual void save_history(ByteWriter& state) const = 0;

  /// Reads what save_point() wrote.
  ///
  /// \throws ModelError if the state ends early or has another size
  virtual void restore_point(ByteReader& state, Index num_weights) = 0;

  /// Reads what save_history() wrote.
  ///
  /// \throws ModelError as LbfgsHistory::restore()
  virtual void restore_history(ByteReader& state, Index num_weights) = 0;
};

}  // namespace mlp::optim
