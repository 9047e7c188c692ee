// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include "../core/types.hpp"
#include "iteration_callback.hpp"
#include "objective.hpp"
#include "summary.hpp"

namespace mlp::optim {

struct GradientDescentOptions {
  /// Updates at most. One more evaluation records the objective after the last.
  Index max_iter = 100;

  /// Stops where |x' - x| < tol max(|x'|, 1), tested from the second update on.
  double tol = 1e-6;

  /// x' = x - step_size gradient, the same in every iteration.
  double step_size = 0.03;
};

/// Gradient descent as Spark 3.1 and later runs it for this network: batch, a
/// constant step, and one evaluation after the last update.
///
/// Where the weights converge after update j the history has j entries: the
/// objective at the result is not evaluated.
///
/// \source Spark mllib/optimization/GradientDescent.scala and
///         ml/ann/Layer.scala, ANNUpdater
template <Objective F>
class GradientDescent {
 public:
  GradientDescent(F& objective, const GradientDescentOptions& options,
                  IterationCallback callback)
      : objective_(objective),
        options_(options),
        callback_(std::move(callback)) {}

  /// Minimises from x on, in place.
  ///
  /// \param[in,out] x  the start, then the last updated point   [num_weights]
  Summary minimize(Vector& x) {
    gradient_.resize(x.size());
    try {
      for (Index update = 0;; ++update) {
        record(x);
        if (update == options_.max_iter) {
          stop(ConvergenceReason::kMaxIter);
        }
        if (has_stopped()) break;
        step(x);
        if (update > 0 && has_converged(x)) {
          stop(ConvergenceReason::kWeightsConverged);
          break;
        }
      }
    } catch (const Interrupted&) {
      stop(ConvergenceReason::kStoppedByCallback);
    }
    return std::move(summary_);
  }

 private:
  void record(const Vector& x) {
    const double value = objective_.value_and_gradient(x, gradient_);
    summary_.objective_history.push_back(value);
    const Index iteration = summary_.evaluations++;
    const Iteration seen{iteration, value,
                         iteration == 0 ? 0.0 : options_.step_size,
                         summary_.evaluations, x};
    if (callback_ && !callback_(seen)) {
      stop(ConvergenceReason::kStoppedByCallback);
    }
  }

  void step(Vector& x) {
    previous_ = x;
    x -= options_.step_size * gradient_;
  }

  [[nodiscard]] bool has_converged(const Vector& x) const {
    return (previous_ - x).norm() < options_.tol * std::max(x.norm(), 1.0);
  }

  void stop(ConvergenceReason reason) { summary_.convergence_reason = reason; }

  [[nodiscard]] bool has_stopped() const {
    return summary_.convergence_reason != ConvergenceReason::kNone;
  }

  F& objective_;
  GradientDescentOptions options_;
  IterationCallback callback_;
  Vector gradient_, previous_;  // [num_weights]
  Summary summary_;
};

/// Minimises an objective with batch gradient descent.
///
/// \param[in,out] x  the start, then the last updated point   [num_weights]
/// \pre    options.max_iter >= 0, 0 <= options.tol <= 1, options.step_size > 0
/// \return why and after what it stopped
template <Objective F>
Summary minimize_gradient_descent(F& objective, Vector& x,
                                  const GradientDescentOptions& options,
                                  IterationCallback callback = {}) {
  return GradientDescent<F>(objective, options, std::move(callback))
      .minimize(x);
}

}  // namespace mlp::optim
