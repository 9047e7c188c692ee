// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "../core/types.hpp"
#include "resumable.hpp"

/// The callback that watches and can stop a solver run.
namespace mlp::optim {

/// The x of an iteration: a vector, or a function that copies it from a device
/// when somebody reads it. It is used like a const Vector&.
class Point {
 public:
  /// \param x  must outlive this object
  Point(const Vector& x) : x_(&x) {}

  /// \param read  returns x, which must outlive this object; called when x is
  ///              read first
  explicit Point(std::function<const Vector&()> read)
      : read_(std::move(read)) {}

  [[nodiscard]] const Vector& vector() const {
    if (!x_) x_ = &read_();
    return *x_;
  }

  operator const Vector&() const { return vector(); }

  [[nodiscard]] Index size() const { return vector().size(); }
  [[nodiscard]] double operator[](Index i) const { return vector()[i]; }

 private:
  mutable const Vector* x_ = nullptr;  ///< null until it is read
  std::function<const Vector&()> read_;
};

/// Returns the x of a solver's vectors, which a device copies only if it is read.
///
/// \param vectors  must outlive the result; those of the host have kIsOnHost
template <typename Vectors>
[[nodiscard]] Point point_of(Vectors& vectors) {
  if constexpr (requires { Vectors::kIsOnHost; }) return vectors.x();
  return Point([&vectors]() -> const Vector& { return vectors.x(); });
}

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
