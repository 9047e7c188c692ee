// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <string_view>
#include <utility>

#include "../../core/byte_stream.hpp"
#include "../../core/types.hpp"
#include "../iteration_callback.hpp"
#include "../objective.hpp"
#include "../resumable.hpp"
#include "../summary.hpp"
#include "gradient_descent_vectors.hpp"

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
///
/// \tparam Vectors  GradientDescentVectors, or an implementation of it
template <std::derived_from<GradientDescentVectors> Vectors>
class GradientDescent final : public Resumable {
 public:
  /// \param vectors  must outlive this object
  GradientDescent(Vectors& vectors, const GradientDescentOptions& options,
                  IterationCallback callback, FailureCallback on_failure = {})
      : vectors_(vectors),
        options_(options),
        callback_(std::move(callback)),
        on_failure_(std::move(on_failure)) {}

  /// Minimises the objective, starting at x.
  ///
  /// \param[in,out] x  the start, then the last updated point   [num_weights]
  Summary minimize(Vector& x) {
    vectors_.start(x);
    return run(x, [&] { record(); });
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
    vectors_.restore(state, x.size());
    summary_.restore(state);
    const Index num_entries = summary_.total_iterations() + 1;
    state.require_between(summary_.evaluations, num_entries, num_entries,
                          "the number of evaluations");
    state.require_end();
    return run(x, [&] {
      if (repeats_callback) report();
    });
  }

  void save(ByteWriter& state) const override {
    state.write_text(kStateName);
    vectors_.save(state, is_moving_);
    summary_.save(state);
  }

 private:
  /// Runs until a stop test holds.
  ///
  /// \param begin  evaluates and records the start; on resume it only calls the
  ///               callback, if that is wanted
  template <typename Begin>
  Summary run(Vector& x, Begin&& begin) {
    try {
      begin();
      while (update()) record();
    } catch (const Interrupted&) {
      stop(ConvergenceReason::kStoppedByCallback);
    }
    x = vectors_.x();
    return std::move(summary_);
  }

  /// Makes one update. Returns false if the run ends.
  bool update() {
    const Index num_updates = summary_.evaluations - 1;
    if (num_updates >= options_.max_iter) stop(ConvergenceReason::kMaxIter);
    if (has_stopped()) return false;
    is_moving_ = true;
    vectors_.step(options_.step_size);
    if (num_updates > 0 && vectors_.moved_distance() <
                               options_.tol * std::max(vectors_.norm(), 1.0)) {
      stop(ConvergenceReason::kWeightsConverged);
    }
    return !has_stopped();
  }

  void record() {
    const double value =
        evaluate_or_report(on_failure_, [this] { return vectors_.evaluate(); });
    is_moving_ = false;
    summary_.objective_history.push_back(value);
    ++summary_.evaluations;
    report();
  }

  void report() {
    const Index iteration = summary_.evaluations - 1;
    const Iteration seen{iteration,
                         summary_.objective_history.back(),
                         iteration == 0 ? 0.0 : options_.step_size,
                         summary_.evaluations,
                         point_of(vectors_),
                         this};
    if (callback_ && !callback_(seen)) {
      stop(ConvergenceReason::kStoppedByCallback);
    }
  }

  void stop(ConvergenceReason reason) { summary_.convergence_reason = reason; }

  [[nodiscard]] bool has_stopped() const {
    return summary_.convergence_reason != ConvergenceReason::kNone;
  }

  static constexpr std::string_view kStateName = "gradient descent 1";

  Vectors& vectors_;
  GradientDescentOptions options_;
  IterationCallback callback_;
  FailureCallback on_failure_;
  bool is_moving_ = false;  ///< x was updated after the last record()
  Summary summary_;
};

/// The vectors of gradient descent in the memory of the host.
template <Objective F>
class HostGradientDescentVectors final : public GradientDescentVectors {
 public:
  static constexpr bool kIsOnHost = true;

  /// \param objective  must outlive this object
  explicit HostGradientDescentVectors(F& objective) : objective_(objective) {}

  void start(const Vector& x) override { x_ = x; }

  double evaluate() override {
    next_gradient_.resize(x_.size());
    const double value = objective_.value_and_gradient(x_, next_gradient_);
    gradient_.swap(next_gradient_);
    return value;
  }

  void step(double step_size) override {
    previous_ = x_;
    x_ -= step_size * gradient_;
  }

  [[nodiscard]] double norm() override { return x_.norm(); }
  [[nodiscard]] double moved_distance() override {
    return (previous_ - x_).norm();
  }

  [[nodiscard]] const Vector& x() override { return x_; }

  void save(ByteWriter& state, bool is_moved) const override {
    state.write_vector(is_moved ? previous_ : x_);
    state.write_vector(gradient_);
  }

  void restore(ByteReader& state, Index num_weights) override {
    x_ = read_flat<double>(state, num_weights);
    gradient_ = read_flat<double>(state, num_weights);
  }

 private:
  F& objective_;
  Vector x_, previous_;              // [num_weights]
  Vector gradient_, next_gradient_;  // [num_weights]
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
  HostGradientDescentVectors<F> vectors(objective);
  return GradientDescent(vectors, options, std::move(callback)).minimize(x);
}

/// Continues a run as GradientDescent::resume().
///
/// \param state  the bytes that Iteration::solver wrote
/// \pre    the objective is the same as in the saved run
/// \return the summary of both runs together
template <Objective F>
Summary resume_gradient_descent(F& objective, ByteReader& state, Vector& x,
                                const GradientDescentOptions& options,
                                IterationCallback callback = {},
                                bool repeats_callback = false) {
  HostGradientDescentVectors<F> vectors(objective);
  return GradientDescent(vectors, options, std::move(callback))
      .resume(state, x, repeats_callback);
}

}  // namespace mlp::optim
