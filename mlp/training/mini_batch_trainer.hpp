// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../../core/byte_stream.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../optim/iteration_callback.hpp"
#include "../../optim/objective.hpp"
#include "../../optim/plateau.hpp"
#include "../../optim/summary.hpp"
#include "../backend/resident_training.hpp"
#include "../checkpoint/state_saver.hpp"
#include "mini_batch_gradient.hpp"
#include "training_run.hpp"

namespace mlp {

/// Trains by mini-batches: shuffle, evaluate, penalise, clip, update.
///
/// The first entry of the objective history is the objective at the start; each
/// other is the mean over the steps of an epoch, by the sizes of the mini-batches.
class MiniBatchTrainer {
 public:
  /// \param run     its parts must outlive this object, as solver must
  /// \param solver  evaluates and updates
  MiniBatchTrainer(const TrainingRun& run, BatchSolver& solver)
      : run_(run),
        solver_(solver),
        saver_(run.options.checkpoint, run.instances.allreduce().rank() == 0),
        order_(batch_order(run)),
        plateau_(run.params.schedule, run.params.stall_epochs, run.params.tol,
                 resolved_step_size(run.params)) {}

  /// Trains in place, starting from the weights and statistics, or resumes from
  /// a state.
  ///
  /// \param         objective   at the start
  /// \param[in,out] weights     [num_weights]
  /// \param[in,out] statistics  [num_statistics]
  /// \throws ModelError for a state of another training
  optim::Summary train(double objective, Vector& weights, Vector& statistics) {
    solver_.start(weights, statistics);
    if (run_.options.checkpoint.state.empty()) {
      record(objective);
    } else {
      restore(weights.size(), statistics.size());
    }
    while (!has_stopped()) run_epoch();
    solver_.copy_out(weights, statistics);
    return std::move(summary_);
  }

 private:
  void run_epoch() {
    order_.shuffle(epoch_);
    while (batch_ < order_.num_batches()) {
      try {
        step();
      } catch (const optim::Interrupted&) {
        rescue();
        stop(optim::ConvergenceReason::kStoppedByCallback);
        return;
      } catch (...) {
        rescue();
        throw;
      }
      ++batch_;
      if (batch_ < order_.num_batches()) save_if_due(true);
    }
    ++epoch_;
    batch_ = 0;
    const double objective = solver_.loss_sum() / weight_sum_;
    solver_.set_loss_sum(0.0);
    weight_sum_ = 0.0;
    record(objective);
    if (!has_stopped() || is_interrupted()) save_if_due(false);
  }

  void step() {
    const std::span<const Index> batch = order_.batch(batch_);
    const Index number = summary_.evaluations;
    const double step_size =
        plateau_.scale() * run_.params.schedule.step_size(
                               resolved_step_size(run_.params), number,
                               order_.num_batches(),
                               std::max<Index>(run_.params.max_iter, 1));
    solver_.step({number, batch, order_.dropout_seed(number), step_size,
                  order_.rest(batch_)});
    step_size_ = step_size;
    ++summary_.evaluations;
    weight_sum_ += static_cast<double>(batch.size());
  }

  void record(double objective) {
    summary_.objective_history.push_back(objective);
    observe();
  }

  /// Passes the last finished epoch to the monitor.
  void observe() {
    try {
      observe_or_throw();
    } catch (const optim::Interrupted&) {
      rescue();
      stop(optim::ConvergenceReason::kStoppedByCallback);
    }
    if (!has_stopped() && epoch_ > 0 && !plateau_.record(losses().back())) {
      stop(optim::ConvergenceReason::kFunctionValuesConverged);
    }
    if (epoch_ >= run_.params.max_iter)
      stop(optim::ConvergenceReason::kMaxIter);
    // More steps cannot make it finite. It is the same on all ranks.
    if (!std::isfinite(summary_.objective_history.back())) {
      stop(optim::ConvergenceReason::kDiverged);
    }
  }

  /// The losses that may stall: of the validation set, or else the objectives.
  [[nodiscard]] const std::vector<double>& losses() const {
    const std::vector<double>* const of_validation = run_.monitor.losses();
    return of_validation ? *of_validation : summary_.objective_history;
  }

  void observe_or_throw() {
    Vector weights;
    Vector statistics;
    const auto copy = [&]() -> const Vector& {
      solver_.copy_out(weights, statistics);
      return weights;
    };
    const optim::Iteration iteration{epoch_, summary_.objective_history.back(),
                                     step_size_, summary_.evaluations,
                                     optim::Point(copy)};
    summary_.convergence_reason = run_.monitor.observe(iteration, statistics);
    if (run_.instances.has_other_ranks() &&
        summary_.convergence_reason ==
            optim::ConvergenceReason::kStoppedByCallback) {
      // The other ranks learn of it in the next step.
      run_.stop.request();
      summary_.convergence_reason = optim::ConvergenceReason::kNone;
    }
  }

  [[nodiscard]] bool has_stopped() const {
    return summary_.convergence_reason != optim::ConvergenceReason::kNone;
  }

  /// Returns true if the caller asked to stop while the callback ran. The
  /// training can be resumed then.
  [[nodiscard]] bool is_interrupted() const {
    return run_.options.is_stopping && *run_.options.is_stopping &&
           summary_.convergence_reason ==
               optim::ConvergenceReason::kStoppedByCallback;
  }

  void stop(optim::ConvergenceReason reason) {
    summary_.convergence_reason = reason;
  }

  void save_if_due(bool is_mid_epoch) {
    saver_.save_if_due(epoch_, is_mid_epoch,
                       [this](ByteWriter& writer) { write(writer); });
  }

  /// Saves the state before a step that failed, unless it was the first.
  void rescue() noexcept {
    if (summary_.evaluations == 0) return;
    saver_.rescue([this](ByteWriter& writer) { write(writer); });
  }

  void write(ByteWriter& writer) const {
    run_.monitor.save(writer);
    writer.write(std::int64_t{epoch_});
    writer.write(std::int64_t{batch_});
    writer.write(solver_.loss_sum());
    writer.write(weight_sum_);
    writer.write(step_size_);
    solver_.save(writer);
    summary_.save(writer);
  }

  /// \throws ModelError for a state of another training
  void restore(Index num_weights, Index num_statistics) {
    ByteReader reader(run_.options.checkpoint.state,
                      run_.options.checkpoint.state_name);
    run_.monitor.restore(reader, num_weights, num_statistics);
    epoch_ = reader.read_count("the number of finished epochs", 0);
    batch_ = reader.read_count("the next mini-batch of the epoch", 0,
                               order_.num_batches() - 1);
    solver_.set_loss_sum(reader.read<double>());
    weight_sum_ = reader.read<double>();
    step_size_ = reader.read<double>();
    solver_.restore(reader);
    summary_.restore(reader);
    reader.require_end();
    check_counts(reader);
    for (std::size_t i = 1; i < losses().size(); ++i) {
      static_cast<void>(plateau_.record(losses()[i]));
    }
    if (run_.monitor.is_behind()) observe();
    if (epoch_ >= run_.params.max_iter)
      stop(optim::ConvergenceReason::kMaxIter);
  }

  /// Checks the counts of a restored state against each other. The history is
  /// compared first: its size is limited by the bytes of the state.
  void check_counts(const ByteReader& reader) const {
    const Index num_epochs = summary_.total_iterations();
    reader.require_between(epoch_, num_epochs, num_epochs,
                           "the number of finished epochs");
    const Index num_steps = epoch_ * order_.num_batches() + batch_;
    reader.require_between(summary_.evaluations, num_steps, num_steps,
                           "the number of evaluations");
    reader.require_between(solver_.num_steps(), num_steps, num_steps,
                           "the number of steps");
    const auto num_seen = static_cast<double>(batch_) *
                          static_cast<double>(order_.batch(0).size());
    const double loss_sum = solver_.loss_sum();
    if (weight_sum_ == num_seen && (batch_ > 0 || loss_sum == 0.0)) return;
    reader.refuse("the sums of the epoch must be of " +
                  format_double(num_seen) + " instances; got a loss of " +
                  format_double(loss_sum) + " over " +
                  format_double(weight_sum_) +
                  " in the state; resume the run that wrote it");
  }

  TrainingRun run_;
  BatchSolver& solver_;
  StateSaver saver_;
  MiniBatchOrder order_;
  optim::Plateau plateau_;

  Index epoch_ = 0;          ///< finished
  Index batch_ = 0;          ///< next of the epoch
  double weight_sum_ = 0.0;  ///< of the epoch so far
  double step_size_ = 0.0;
  optim::Summary summary_;
};

}  // namespace mlp
