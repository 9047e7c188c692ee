// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "../../core/byte_stream.hpp"
#include "../../core/types.hpp"
#include "../convergence_reason.hpp"
#include "../iteration_callback.hpp"
#include "../line_search/more_thuente.hpp"
#include "../line_search/strong_wolfe.hpp"
#include "../objective.hpp"
#include "../resumable.hpp"
#include "../summary.hpp"
#include "host_lbfgs_vectors.hpp"
#include "lbfgs_vectors.hpp"
#include "value_window.hpp"

/// L-BFGS, the quasi-Newton solver that Spark uses by default.
namespace mlp::optim {

/// Options of L-BFGS.
struct LbfgsOptions {
  /// Stops if iterations >= max_iter. History entries that a failed line search
  /// repeats do not count.
  Index max_iter = 100;

  /// Stops if |f - largest of the last 20 f| <= tol |f at the start|, from
  /// iteration 20 on, or if |gradient| <= max(tol |f|, 1e-8). With 0 the run
  /// usually ends only if the line search fails or max_iter is reached.
  double tol = 1e-6;

  /// Number of corrections kept. More corrections approximate the curvature
  /// better and use 2 num_weights doubles each.
  Index history_size = 10;

  /// Continues if Breeze gives up: in the line search (StrongWolfe), at steps below
  /// Breeze's lower bound, and at a gradient that is small only relative to a value
  /// above 1 (the test then uses the square root of the value). Set it unless the
  /// run must stop at the same iteration as Spark.
  bool continues = false;

  /// If set, the run searches and stops as SciPy's L-BFGS-B, without tol.
  std::optional<double> gradient_tol = std::nullopt;

  /// Stops before an evaluation that would be one too many, at the last accepted
  /// point.
  Index max_evaluations = std::numeric_limits<Index>::max();
};

/// Limited-memory BFGS, with the same steps as Breeze takes under Spark.
///
/// The first step, the line search, the handling of failed searches and the
/// order of the stop tests are the same as in Breeze. With
/// LbfgsOptions::continues, fewer searches fail.
///
/// \source Breeze optimize/FirstOrderMinimizer.scala and LBFGS.scala, as called
///         by Spark mllib/optimization/LBFGS.scala; Liu and Nocedal 1989
///
/// \tparam Vectors  LbfgsVectors, or an implementation of it
template <std::derived_from<LbfgsVectors> Vectors>
class Lbfgs final : public Resumable {
 public:
  /// \param vectors  must outlive this object
  Lbfgs(Vectors& vectors, const LbfgsOptions& options,
        IterationCallback callback, FailureCallback on_failure = {})
      : vectors_(vectors),
        options_(options),
        callback_(std::move(callback)),
        on_failure_(std::move(on_failure)) {}

  /// Minimises the objective, starting at x.
  ///
  /// \param[in,out] x  the start, then the last accepted point   [num_weights]
  Summary minimize(Vector& x) {
    vectors_.start(x);
    return run(x, [this] {
      value_ = evaluate();
      first_value_ = value_;
      return record();
    });
  }

  /// Continues from a saved state, as if the run had not been interrupted. The
  /// stop tests run again with the current options.
  ///
  /// \param[in,out] state  the bytes from save(); read up to its end
  /// \param[in,out] x      overwritten by the state, then the last accepted
  ///                       point                                 [num_weights]
  /// \param         repeats_callback  calls the callback again for the iteration
  ///                                  that was saved
  /// \throws ModelError if the state ends early, has another solver, number of
  ///         weights or history_size, or counts that do not match
  Summary resume(ByteReader& state, Vector& x, bool repeats_callback = false) {
    restore(state, x.size());
    return run(x, [this, repeats_callback] {
      if (repeats_callback) return report();
      summary_.convergence_reason = test_convergence();
      return summary_.convergence_reason == ConvergenceReason::kNone;
    });
  }

  void save(ByteWriter& state) const override {
    state.write_text(kStateName);
    vectors_.save_point(state);
    state.write(value_);
    state.write(first_value_);
    state.write(step_length_);
    state.write(std::int64_t{iteration_});
    state.write_flag(had_left_x_);
    state.write_flag(failed_once_);
    state.write_flag(search_failed_);
    window_.save(state);
    vectors_.save_history(state);
    Summary recorded = summary_;
    recorded.evaluations = num_recorded_evaluations_;
    recorded.save(state);
  }

 private:
  void restore(ByteReader& state, Index num_weights) {
    state.require_text(kStateName, "the solver");
    vectors_.restore_point(state, num_weights);
    value_ = state.read<double>();
    first_value_ = state.read<double>();
    step_length_ = state.read<double>();
    iteration_ = state.read_count("the number of accepted steps", 0);
    has_left_x_ = state.read_flag();
    failed_once_ = state.read_flag();
    search_failed_ = state.read_flag();
    window_.restore(state);
    vectors_.restore_history(state, num_weights);
    summary_.restore(state);
    state.require_between(iteration_, 0, summary_.total_iterations(),
                          "the number of accepted steps");
    state.require_end();
    had_left_x_ = has_left_x_;
    num_recorded_evaluations_ = summary_.evaluations;
  }

  /// Iterates until record() returns false.
  ///
  /// \param begin  makes the first state; returns false if the run ends with it
  template <typename Begin>
  Summary run(Vector& x, Begin&& begin) {
    try {
      bool goes_on = begin();
      while (goes_on) {
        advance();
        goes_on = record();
      }
    } catch (const Interrupted&) {
      summary_.convergence_reason =
          summary_.evaluations >= options_.max_evaluations
              ? ConvergenceReason::kMaxIter
              : ConvergenceReason::kStoppedByCallback;
    }
    x = vectors_.x();
    return std::move(summary_);
  }

  /// Computes the next state: an accepted step, or the handling of a failure.
  void advance() {
    if (choose_direction() && search_step()) {
      accept_step();
    } else if (!failed_once_) {
      failed_once_ = true;
      vectors_.clear_history();
      step_length_ = 0.0;
    } else {
      search_failed_ = true;
    }
  }

  /// Evaluates at x.
  double evaluate() {
    count_evaluation();
    return evaluate_or_report(on_failure_,
                              [this] { return vectors_.evaluate(); });
  }

  /// \throws Interrupted if there were as many evaluations as the options allow
  void count_evaluation() {
    if (summary_.evaluations >= options_.max_evaluations) throw Interrupted();
    ++summary_.evaluations;
  }

  /// Records the state and calls the callback. Returns false if the run ends.
  bool record() {
    had_left_x_ = has_left_x_;
    num_recorded_evaluations_ = summary_.evaluations;
    summary_.objective_history.push_back(value_);
    return report();
  }

  /// Calls the callback for the state. Returns false if the run ends.
  bool report() {
    summary_.convergence_reason = test_convergence();
    const bool goes_on =
        !callback_ ||
        callback_(Iteration{summary_.total_iterations(), value_, step_length_,
                            summary_.evaluations, point_of(vectors_), this});
    if (summary_.convergence_reason != ConvergenceReason::kNone) return false;
    if (goes_on) return true;
    summary_.convergence_reason = ConvergenceReason::kStoppedByCallback;
    return false;
  }

  [[nodiscard]] ConvergenceReason test_convergence() {
    if (iteration_ >= options_.max_iter) return ConvergenceReason::kMaxIter;
    if (options_.gradient_tol) {
      const double largest = evaluate_or_report(
          on_failure_, [&] { return vectors_.gradient_max(); });
      return or_failed(test_as_scipy(largest, *options_.gradient_tol,
                                     summary_.objective_history));
    }
    if (window_.is_flat(value_, options_.tol * std::abs(first_value_))) {
      return ConvergenceReason::kFunctionValuesConverged;
    }
    const double bound =
        std::max(options_.tol * gradient_scale(), kGradientFloor);
    const double norm = evaluate_or_report(
        on_failure_, [&] { return vectors_.gradient_norm(); });
    if (norm <= bound) return ConvergenceReason::kGradientConverged;
    return or_failed(ConvergenceReason::kNone);
  }

  [[nodiscard]] ConvergenceReason or_failed(ConvergenceReason reason) const {
    if (reason != ConvergenceReason::kNone || !search_failed_) return reason;
    return ConvergenceReason::kLineSearchFailed;
  }

  /// The scale of the gradient test. Breeze uses the value. In a regression, the
  /// value grows with the square of a label's unit, and the gradient with the unit
  /// only: with large labels, Breeze's test would stop the run at its start.
  [[nodiscard]] double gradient_scale() const {
    const double value = std::abs(value_);
    return options_.continues && value > 1.0 ? std::sqrt(value) : value;
  }

  [[nodiscard]] bool choose_direction() {
    return evaluate_or_report(on_failure_, [this] {
      return vectors_.choose_direction(iteration_ == 0);
    });
  }

  /// Searches along the direction. On success the accepted point is the trial
  /// point of the vectors, and its value trial_value_.
  [[nodiscard]] bool search_step() {
    // Breeze caches only the last point. After a failed search it therefore
    // evaluates x again, which counts as an evaluation.
    if (has_left_x_) value_ = evaluate();
    has_left_x_ = false;
    const LinePoint origin{0.0, value_, vectors_.slope()};
    const double first_step =
        iteration_ == 0 ? 1.0 / vectors_.direction_norm() : 1.0;
    const auto phi = [this](double t) { return trial(t); };
    const std::optional<double> accepted =
        options_.gradient_tol
            ? MoreThuente(origin).search(phi, first_step)
            : StrongWolfe(origin, options_.continues).search(phi, first_step);
    if (!accepted || is_too_short(*accepted)) {
      // A trial step may be so short that the trial point rounds to x.
      has_left_x_ = has_left_x_ && vectors_.has_moved();
      return false;
    }
    step_length_ = *accepted;
    return true;
  }

  /// Tests if the accepted step is no progress: it is below Breeze's lower bound,
  /// which ignores the scale of x, or, if the search continues, rounding loses it.
  [[nodiscard]] bool is_too_short(double t) {
    if (!(t * vectors_.gradient_norm() < kStepFloor)) return false;
    return !options_.continues || !vectors_.has_moved();
  }

  LinePoint trial(double t) {
    count_evaluation();
    has_left_x_ = true;
    const LinePoint point =
        evaluate_or_report(on_failure_, [&] { return vectors_.trial(t); });
    trial_value_ = point.value;
    return point;
  }

  void accept_step() {
    evaluate_or_report(on_failure_, [&] {
      vectors_.accept();
      return true;
    });
    value_ = trial_value_;
    has_left_x_ = false;
    ++iteration_;
    window_.push(value_);
    failed_once_ = false;
  }

  static constexpr std::string_view kStateName = "l-bfgs 1";
  static constexpr double kGradientFloor = 1e-8;
  static constexpr double kStepFloor = 1e-10;

  Vectors& vectors_;
  LbfgsOptions options_;
  IterationCallback callback_;
  FailureCallback on_failure_;
  double value_ = 0.0;
  double trial_value_ = 0.0;
  double first_value_ = 0.0;
  double step_length_ = 0.0;
  Index iteration_ = 0;      ///< accepted steps
  bool has_left_x_ = false;  ///< another point was evaluated after x_
  bool had_left_x_ = false;  ///< has_left_x_ when the state was recorded
  Index num_recorded_evaluations_ = 0;
  bool failed_once_ = false;
  bool search_failed_ = false;
  ValueWindow window_;
  Summary summary_;
};

/// Minimises an objective with L-BFGS.
///
/// \param[in,out] x  the start, then the last accepted point   [num_weights]
/// \pre    options.max_iter >= 0, options.tol >= 0, options.history_size >= 0
/// \return the history of the objective and the reason for stopping; failure to
///         converge is not an error
/// \cost   one evaluation and 8 history_size num_weights flops per iteration
///         if the first trial step is accepted
template <Objective F>
Summary minimize_lbfgs(F& objective, Vector& x, const LbfgsOptions& options,
                       IterationCallback callback = {}) {
  HostLbfgsVectors<F> vectors(objective, options.history_size);
  return Lbfgs(vectors, options, std::move(callback)).minimize(x);
}

/// Continues a run as Lbfgs::resume().
///
/// \param state  the bytes that Iteration::solver wrote
/// \pre    the objective is the same as in the saved run
/// \return the summary of both runs together
template <Objective F>
Summary resume_lbfgs(F& objective, ByteReader& state, Vector& x,
                     const LbfgsOptions& options,
                     IterationCallback callback = {},
                     bool repeats_callback = false) {
  HostLbfgsVectors<F> vectors(objective, options.history_size);
  return Lbfgs(vectors, options, std::move(callback))
      .resume(state, x, repeats_callback);
}

}  // namespace mlp::optim
