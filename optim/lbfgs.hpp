// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "../core/types.hpp"
#include "convergence_reason.hpp"
#include "iteration_callback.hpp"
#include "lbfgs_history.hpp"
#include "objective.hpp"
#include "strong_wolfe.hpp"
#include "summary.hpp"
#include "value_window.hpp"

namespace mlp::optim {

struct LbfgsOptions {
  /// Stops where iterations >= max_iter. Repeated entries of a failed search do
  /// not count here.
  Index max_iter = 100;

  /// Stops where |f - largest of the last 20 f| <= tol |f at the start|, from
  /// iteration 20 on, or where |gradient| <= max(tol |f|, 1e-8). 0 runs until
  /// the line search fails or max_iter is reached.
  double tol = 1e-6;

  /// Corrections kept; more follow the curvature longer and cost
  /// 2 num_weights doubles each.
  Index history_size = 10;
};

/// Limited-memory BFGS exactly as Breeze runs it under Spark: same first step,
/// same search, same two failure paths, same stop tests in the same order.
///
/// \source Breeze optimize/FirstOrderMinimizer.scala and LBFGS.scala, as called
///         by Spark mllib/optimization/LBFGS.scala; Liu and Nocedal 1989
template <Objective F>
class Lbfgs {
 public:
  Lbfgs(F& objective, const LbfgsOptions& options, IterationCallback callback)
      : objective_(objective),
        options_(options),
        callback_(std::move(callback)),
        history_(options.history_size) {}

  /// Minimises from x on, in place.
  ///
  /// \param[in,out] x  the start, then the last accepted point   [num_weights]
  Summary minimize(Vector& x) {
    x_ = x;
    try {
      value_ = evaluate(x_, gradient_);
      first_value_ = value_;
      while (true) {
        record();
        if (has_stopped()) break;
        advance();
      }
    } catch (const Interrupted&) {
      summary_.convergence_reason = ConvergenceReason::kStoppedByCallback;
    }
    x = x_;
    return std::move(summary_);
  }

 private:
  /// Makes the next state: one accepted step, or the failure path.
  void advance() {
    if (choose_direction() && search_step()) {
      accept_step();
    } else if (!failed_once_) {
      failed_once_ = true;
      history_.clear();
      step_length_ = 0.0;
    } else {
      search_failed_ = true;
    }
  }

  double evaluate(const Vector& at, Vector& gradient) {
    ++summary_.evaluations;
    gradient.resize(at.size());
    return objective_.value_and_gradient(at, gradient);
  }

  void record() { summary_.objective_history.push_back(value_); }

  bool has_stopped() {
    summary_.convergence_reason = test_convergence();
    const bool goes_on =
        !callback_ ||
        callback_(
            Iteration{static_cast<Index>(summary_.objective_history.size()) - 1,
                      value_, step_length_, summary_.evaluations, x_});
    if (summary_.convergence_reason != ConvergenceReason::kNone) return true;
    if (goes_on) return false;
    summary_.convergence_reason = ConvergenceReason::kStoppedByCallback;
    return true;
  }

  [[nodiscard]] ConvergenceReason test_convergence() const {
    if (iteration_ >= options_.max_iter) return ConvergenceReason::kMaxIter;
    if (window_.is_flat(value_, options_.tol * std::abs(first_value_))) {
      return ConvergenceReason::kFunctionValuesConverged;
    }
    const double bound =
        std::max(options_.tol * std::abs(value_), kGradientFloor);
    if (gradient_.norm() <= bound) return ConvergenceReason::kGradientConverged;
    return search_failed_ ? ConvergenceReason::kLineSearchFailed
                          : ConvergenceReason::kNone;
  }

  [[nodiscard]] bool choose_direction() {
    return history_.descend(gradient_, direction_);
  }

  /// Leaves the accepted point in trial_x_, trial_value_ and trial_gradient_.
  [[nodiscard]] bool search_step() {
    // Breeze caches the last point only: after a failed search x itself has to
    // be evaluated again.
    if (has_left_x_ && trial_x_ != x_) value_ = evaluate(x_, gradient_);
    StrongWolfe search({0.0, value_, gradient_.dot(direction_)});
    const double first_step = iteration_ == 0 ? 1.0 / direction_.norm() : 1.0;
    const std::optional<double> accepted =
        search.search([this](double t) { return trial(t); }, first_step);
    if (!accepted || *accepted * gradient_.norm() < kStepFloor) return false;
    step_length_ = *accepted;
    return true;
  }

  LinePoint trial(double t) {
    trial_x_ = direction_ * t + x_;
    has_left_x_ = true;
    trial_value_ = evaluate(trial_x_, trial_gradient_);
    return {t, trial_value_, trial_gradient_.dot(direction_)};
  }

  void accept_step() {
    history_.push(x_, trial_x_, gradient_, trial_gradient_);
    x_.swap(trial_x_);
    gradient_.swap(trial_gradient_);
    value_ = trial_value_;
    has_left_x_ = false;
    ++iteration_;
    window_.push(value_);
    failed_once_ = false;
  }

  static constexpr double kGradientFloor = 1e-8;
  static constexpr double kStepFloor = 1e-10;

  F& objective_;
  LbfgsOptions options_;
  IterationCallback callback_;

  Vector x_, gradient_, direction_;  // [num_weights]
  Vector trial_x_, trial_gradient_;  // [num_weights]
  double value_ = 0.0;
  double trial_value_ = 0.0;
  double first_value_ = 0.0;
  double step_length_ = 0.0;
  Index iteration_ = 0;      ///< accepted steps
  bool has_left_x_ = false;  ///< trial_x_ was evaluated after x_
  bool failed_once_ = false;
  bool search_failed_ = false;
  ValueWindow window_;
  LbfgsHistory history_;
  Summary summary_;
};

/// Minimises an objective with L-BFGS.
///
/// \param[in,out] x  the start, then the last accepted point   [num_weights]
/// \pre    options.max_iter >= 0, options.tol >= 0, options.history_size >= 0
/// \return why and after what it stopped; never throws for want of convergence
/// \cost   one evaluation and 8 history_size num_weights flops an iteration
///         where the first trial step is accepted
template <Objective F>
Summary minimize_lbfgs(F& objective, Vector& x, const LbfgsOptions& options,
                       IterationCallback callback = {}) {
  return Lbfgs<F>(objective, options, std::move(callback)).minimize(x);
}

}  // namespace mlp::optim
