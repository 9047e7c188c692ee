// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "../../core/byte_stream.hpp"
#include "../../core/number_text.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../../optim/adam.hpp"
#include "../../optim/iteration_callback.hpp"
#include "../../optim/objective.hpp"
#include "../../optim/resumable.hpp"
#include "../../optim/sgd.hpp"
#include "../../optim/summary.hpp"
#include "../checkpoint/state_saver.hpp"
#include "../objective/penalized_objective.hpp"
#include "../objective/weight_ranges.hpp"
#include "../params/params.hpp"
#include "fit_options.hpp"
#include "mini_batch_gradient.hpp"
#include "mini_batch_order.hpp"
#include "rank_instances.hpp"
#include "training_monitor.hpp"

namespace mlp {

/// What a mini-batch solver does with a gradient.
template <typename Number>
using UpdateRule = std::variant<optim::Sgd<Number>, optim::Adam<Number>>;

/// Makes the rule of a solver, with its state at the start.
///
/// \pre has_mini_batches(params.solver)
template <typename Number>
[[nodiscard]] UpdateRule<Number> make_update_rule(const Params& params,
                                                  Index num_weights) {
  if (params.solver == Solver::kSgd) {
    optim::SgdOptions options;
    options.momentum = params.momentum;
    options.is_nesterov = params.nesterov;
    return optim::Sgd<Number>(num_weights, options);
  }
  // Adam decays through the gradient; adamw apart from it.
  optim::AdamOptions options;
  if (params.solver == Solver::kAdamW) options.weight_decay = params.reg_param;
  return optim::Adam<Number>(num_weights, options);
}

/// Trains by mini-batches: shuffle, evaluate, penalise, clip, update.
///
/// The first entry of the objective history is the objective at the start; each
/// other is the mean over the steps of an epoch, by the weights of each step.
///
/// \tparam Number  of features, weights and the optimiser's state
template <typename Number>
class MiniBatchTrainer {
 public:
  /// \param params  must outlive this object, as options and what follows must
  MiniBatchTrainer(const Topology& topology, const Params& params,
                   const FitOptions& options, const RankInstances& instances,
                   ThreadPool& pool, TrainingMonitor& monitor,
                   const StateSaver& saver)
      : params_(params),
        options_(options),
        instances_(instances),
        pool_(pool),
        monitor_(monitor),
        saver_(saver),
        order_(instances.share().num_instances, params.batch_size,
               topology.num_statistics() > 0 ? 2 : 1, params.seed),
        gradient_source_(topology, params, options, instances, pool),
        rule_(make_update_rule<Number>(params, topology.num_weights())),
        penalty_(make_penalty(topology, params)) {}

  /// Trains in place, starting from the weights and statistics, or resumes from
  /// a state.
  ///
  /// \param         objective   at the start
  /// \param[in,out] weights     [num_weights]
  /// \param[in,out] statistics  [num_statistics]
  /// \throws ModelError for a state of another training
  optim::Summary train(double objective, Vector& weights, Vector& statistics) {
    weights_ = weights.template cast<Number>();
    statistics_ = statistics.template cast<Number>();
    gradient_.resize(weights_.size());
    if (options_.checkpoint.state.empty()) {
      record(objective);
    } else {
      restore();
    }
    while (!has_stopped()) run_epoch();
    copy_out(weights, statistics);
    return std::move(summary_);
  }

 private:
  using NumberVector = Eigen::Matrix<Number, Eigen::Dynamic, 1>;

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
    const double objective = loss_sum_ / weight_sum_;
    loss_sum_ = 0.0;
    weight_sum_ = 0.0;
    record(objective);
    if (!has_stopped() || is_interrupted()) save_if_due(false);
  }

  void step() {
    const std::span<const Index> batch = order_.batch(batch_);
    const Index step = summary_.evaluations;
    double loss = gradient_source_.compute(
        {step, batch, order_.dropout_seed(step)}, weights_.data(),
        statistics_.data(), gradient_.data());
    ++summary_.evaluations;
    loss += apply_penalty(penalty_, weights_, gradient_);
    const auto size = static_cast<double>(batch.size());
    loss_sum_ += size * loss;
    weight_sum_ += size;
    step_size_ = params_.schedule.step_size(
        resolved_step_size(params_), step, order_.num_batches(),
        std::max<Index>(params_.max_iter, 1));
    update();
  }

  /// Ranges and so bits are the same for any number of threads.
  void update() {
    const auto num_ranges = static_cast<Index>(penalty_.ranges.size());
    std::visit(
        [&](auto& rule) {
          rule.begin_step(step_size_);
          const auto update_range = [&](Index range, int /*thread*/) {
            rule.update(penalty_.ranges[static_cast<std::size_t>(range)],
                        weights_, gradient_);
          };
          if (weights_.size() < kMinThreadedWeights) {
            for (Index i = 0; i < num_ranges; ++i) update_range(i, 0);
          } else {
            pool_.parallel_for(num_ranges, update_range);
          }
        },
        rule_);
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
    if (epoch_ >= params_.max_iter) stop(optim::ConvergenceReason::kMaxIter);
  }

  void observe_or_throw() {
    Vector weights;
    Vector statistics;
    copy_out(weights, statistics);
    const optim::Iteration iteration{epoch_, summary_.objective_history.back(),
                                     step_size_, summary_.evaluations, weights};
    summary_.convergence_reason = monitor_.observe(iteration, statistics);
    if (instances_.has_other_ranks() &&
        summary_.convergence_reason ==
            optim::ConvergenceReason::kStoppedByCallback) {
      // The other ranks learn of it in the next step.
      gradient_source_.request_stop();
      summary_.convergence_reason = optim::ConvergenceReason::kNone;
    }
  }

  void copy_out(Vector& weights, Vector& statistics) const {
    weights = weights_.template cast<double>();
    statistics = statistics_.template cast<double>();
  }

  [[nodiscard]] bool has_stopped() const {
    return summary_.convergence_reason != optim::ConvergenceReason::kNone;
  }

  /// Returns true if the caller asked to stop while the callback ran. The
  /// training can be resumed then.
  [[nodiscard]] bool is_interrupted() const {
    return options_.is_stopping && *options_.is_stopping &&
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
    monitor_.save(writer);
    writer.write(std::int64_t{epoch_});
    writer.write(std::int64_t{batch_});
    writer.write(loss_sum_);
    writer.write(weight_sum_);
    writer.write(step_size_);
    writer.write_vector(weights_);
    writer.write_vector(statistics_);
    std::visit([&](const auto& rule) { rule.save(writer); }, rule_);
    summary_.save(writer);
  }

  /// \throws ModelError for a state of another training
  void restore() {
    ByteReader reader(options_.checkpoint.state,
                      options_.checkpoint.state_name);
    monitor_.restore(reader, weights_.size(), statistics_.size());
    epoch_ = reader.read_count("the number of finished epochs", 0);
    batch_ = reader.read_count("the next mini-batch of the epoch", 0,
                               order_.num_batches() - 1);
    loss_sum_ = reader.read<double>();
    weight_sum_ = reader.read<double>();
    step_size_ = reader.read<double>();
    weights_ = optim::read_flat<Number>(reader, weights_.size());
    statistics_ = reader.read_vector<NumberVector>(statistics_.size(),
                                                   "the number of statistics");
    std::visit([&](auto& rule) { rule.restore(reader); }, rule_);
    summary_.restore(reader);
    reader.require_end();
    check_counts(reader);
    if (monitor_.is_behind()) observe();
    if (epoch_ >= params_.max_iter) stop(optim::ConvergenceReason::kMaxIter);
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
    std::visit(
        [&](const auto& rule) {
          reader.require_between(rule.num_steps(), num_steps, num_steps,
                                 "the number of steps");
        },
        rule_);
    const auto num_seen = static_cast<double>(batch_) *
                          static_cast<double>(order_.batch(0).size());
    if (weight_sum_ == num_seen && (batch_ > 0 || loss_sum_ == 0.0)) return;
    reader.refuse("the sums of the epoch must be of " +
                  format_double(num_seen) + " instances; got a loss of " +
                  format_double(loss_sum_) + " over " +
                  format_double(weight_sum_) +
                  " in the state; resume the run that wrote it");
  }

  static constexpr Index kMinThreadedWeights = 1 << 15;

  const Params& params_;
  const FitOptions& options_;
  const RankInstances& instances_;
  ThreadPool& pool_;
  TrainingMonitor& monitor_;
  const StateSaver& saver_;
  MiniBatchOrder order_;
  MiniBatchGradient<Number> gradient_source_;
  UpdateRule<Number> rule_;
  Penalty penalty_;

  NumberVector weights_, gradient_;  // [num_weights]
  NumberVector statistics_;          // [num_statistics]
  Index epoch_ = 0;                  ///< finished
  Index batch_ = 0;                  ///< next of the epoch
  double loss_sum_ = 0.0;            ///< of the epoch so far
  double weight_sum_ = 0.0;
  double step_size_ = 0.0;
  optim::Summary summary_;
};

}  // namespace mlp
