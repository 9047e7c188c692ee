// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>

#include "../core/byte_stream.hpp"
#include "../core/types.hpp"
#include "iteration_callback.hpp"
#include "objective.hpp"
#include "resumable.hpp"
#include "summary.hpp"

/// Batch gradient descent with a constant step size, as in Spark.
namespace mlp::optim {

/// Options of batch gradient descent.
struct GradientDescentOptions {
  /// Maximum number of updates. The objective is evaluated once more, after the
  /// last update.
  Index max_iter = 100;

  /// Stops if |x' - x| < tol max(|x'|, 1), tested from the second update on.
  double tol = 1e-6;

  /// x' = x - step_size gradient in every iteration.
  double step_size = 0.03;
};

/// Batch gradient descent as Spark 3.1 and later versions run it.
///
/// If the weights converge after update j, the history has j entries, because
/// the objective at the result is not evaluated.
///
/// \source Spark mllib/optimization/GradientDescent.scala and
///         ml/ann/Layer.scala, ANNUpdater
template <Objective F>
class GradientDescent final : public Resumable {
 public:
  GradientDescent(F& objective, const GradientDescentOptions& options,
                  IterationCallback callback)
      : objective_(objective),
        options_(options),
        callback_(std::move(callback)) {}

  /// Minimises the objective, starting at x.
  ///
  /// \param[in,out] x  the start, then the last updated point   [num_weights]
  Summary minimize(Vector& x) {
    return run(x, [&] { record(x); });
  }

  /// Continues from a saved state, as if the run had not been interrupted.
  ///
  /// \param[in,out] state  the bytes from save(); read up to its end
  /// \param[in,out] x      overwritten by the state, then the last updated
  ///                       point                                 [num_weights]
  /// \param         repeats_callback  calls the callback again for the iteration
  ///                                  that was saved
  /// \throws ModelError if the state ends early, has another solver or number of
  ///         weights, or counts that do not match
  Summary resume(ByteReader& state, Vector& x, bool repeats_callback = false) {
    state.require_text(kStateName, "the solver");
    x = read_flat<double>(state, x.size());
    gradient_ = read_flat<double>(state, x.size());
    summary_.restore(state);
    const Index num_entries = summary_.total_iterations() + 1;
    state.require_between(summary_.evaluations, num_entries, num_entries,
                          "the number of evaluations");
    state.require_end();
    return run(x, [&] {
      if (repeats_callback) report(x);
    });
  }

  void save(ByteWriter& state) const override {
    state.write_text(kStateName);
    state.write_vector(is_moving_ ? previous_ : *x_);
    state.write_vector(gradient_);
    summary_.save(state);
  }

 private:
  /// Runs until a stop test holds.
  ///
  /// \param begin  evaluates and records the start; on resume it only calls the
  ///               callback, if that is wanted
  template <typename Begin>
  Summary run(Vector& x, Begin&& begin) {
    x_ = &x;
    try {
      begin();
      while (update(x)) record(x);
    } catch (const Interrupted&) {
      stop(ConvergenceReason::kStoppedByCallback);
    }
    return std::move(summary_);
  }

  /// Makes one update. Returns false if the run ends.
  bool update(Vector& x) {
    const Index num_updates = summary_.evaluations - 1;
    if (num_updates >= options_.max_iter) stop(ConvergenceReason::kMaxIter);
    if (has_stopped()) return false;
    step(x);
    if (num_updates > 0 && has_converged(x)) {
      stop(ConvergenceReason::kWeightsConverged);
    }
    return !has_stopped();
  }

  void record(const Vector& x) {
    next_gradient_.resize(x.size());
    const double value = objective_.value_and_gradient(x, next_gradient_);
    gradient_.swap(next_gradient_);
    is_moving_ = false;
    summary_.objective_history.push_back(value);
    ++summary_.evaluations;
    report(x);
  }

  void report(const Vector& x) {
    const Index iteration = summary_.evaluations - 1;
    const Iteration seen{iteration,
                         summary_.objective_history.back(),
                         iteration == 0 ? 0.0 : options_.step_size,
                         summary_.evaluations,
                         x,
                         this};
    if (callback_ && !callback_(seen)) {
      stop(ConvergenceReason::kStoppedByCallback);
    }
  }

  void step(Vector& x) {
    previous_ = x;
    is_moving_ = true;
    x -= options_.step_size * gradient_;
  }

  [[nodiscard]] bool has_converged(const Vector& x) const {
    return (previous_ - x).norm() < options_.tol * std::max(x.norm(), 1.0);
  }

  void stop(ConvergenceReason reason) { summary_.convergence_reason = reason; }

  [[nodiscard]] bool has_stopped() const {
    return summary_.convergence_reason != ConvergenceReason::kNone;
  }

  static constexpr std::string_view kStateName = "gradient descent 1";

  F& objective_;
  GradientDescentOptions options_;
  IterationCallback callback_;
  const Vector* x_ = nullptr;                   // the caller's x [num_weights]
  Vector gradient_, next_gradient_, previous_;  // [num_weights]
  bool is_moving_ = false;  ///< x was updated after the last record()
  Summary summary_;
};

/// Minimises an objective with batch gradient descent.
///
/// \param[in,out] x  the start, then the last updated point   [num_weights]
/// \pre    options.max_iter >= 0, 0 <= options.tol <= 1, options.step_size > 0
/// \return the history of the objective and the reason for stopping
template <Objective F>
Summary minimize_gradient_descent(F& objective, Vector& x,
                                  const GradientDescentOptions& options,
                                  IterationCallback callback = {}) {
  return GradientDescent<F>(objective, options, std::move(callback))
      .minimize(x);
}

/// Continues gradient descent from a saved state; see
/// GradientDescent::resume().
///
/// \param[in,out] state  the bytes that Iteration::solver wrote
/// \param[in,out] x      overwritten by the state, then the last updated point
///                       [num_weights]
/// \pre    the objective is the same as in the saved run
/// \return the summary of both runs together
/// \throws ModelError if the state is damaged or belongs to another run
template <Objective F>
Summary resume_gradient_descent(F& objective, ByteReader& state, Vector& x,
                                const GradientDescentOptions& options,
                                IterationCallback callback = {},
                                bool repeats_callback = false) {
  return GradientDescent<F>(objective, options, std::move(callback))
      .resume(state, x, repeats_callback);
}

}  // namespace mlp::optim
