// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <variant>

#include "../../core/byte_stream.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../../optim/adam.hpp"
#include "../../optim/resumable.hpp"
#include "../../optim/sgd.hpp"
#include "../backend/resident_training.hpp"
#include "../objective/penalized_objective.hpp"
#include "../params/params.hpp"
#include "mini_batch_gradient.hpp"
#include "training_run.hpp"

namespace mlp {

/// What a mini-batch solver does with a gradient, with its state.
template <typename Number>
using UpdateRule = std::variant<optim::Sgd<Number>, optim::Adam<Number>>;

/// Returns the rule of a solver.
///
/// \pre has_mini_batches(params.solver)
[[nodiscard]] inline BatchRule batch_rule(const Params& params) {
  if (params.solver == Solver::kSgd) {
    optim::SgdOptions options;
    options.momentum = params.momentum;
    options.is_nesterov = params.nesterov;
    return options;
  }
  // Adam decays through the gradient; adamw apart from it.
  optim::AdamOptions options;
  options.beta1 = params.beta1;
  options.beta2 = params.beta2;
  options.epsilon = params.epsilon;
  if (params.solver == Solver::kAdamW) options.weight_decay = params.reg_param;
  return options;
}

/// Makes the rule of a solver, with its state at the start.
///
/// \pre has_mini_batches(params.solver)
template <typename Number>
[[nodiscard]] UpdateRule<Number> make_update_rule(const Params& params,
                                                  Index num_weights) {
  const BatchRule rule = batch_rule(params);
  if (const auto* options = std::get_if<optim::SgdOptions>(&rule)) {
    return optim::Sgd<Number>(num_weights, *options);
  }
  return optim::Adam<Number>(num_weights, std::get<optim::AdamOptions>(rule));
}

/// A training by mini-batches in the memory of the host.
///
/// \tparam Number  of weights, statistics, gradient and the solver's state
template <typename Number>
class HostBatchSolver final : public BatchSolver {
 public:
  /// \param gradient_source  must outlive this object, as the run must
  HostBatchSolver(const TrainingRun& run,
                  MiniBatchGradient<Number>& gradient_source)
      : gradient_source_(gradient_source),
        pool_(run.pool),
        rule_(make_update_rule<Number>(run.params, run.topology.num_weights())),
        penalty_(make_penalty(run.topology, run.params)) {}

  void start(const Vector& weights, const Vector& statistics) override {
    weights_ = weights.template cast<Number>();
    statistics_ = statistics.template cast<Number>();
    gradient_.resize(weights_.size());
  }

  void step(const Step& step) override {
    double loss = gradient_source_.compute(
        {step.number, step.instances, step.dropout_seed, step.rest},
        weights_.data(), statistics_.data(), gradient_.data());
    loss += apply_penalty(penalty_, weights_, gradient_);
    loss_sum_ += static_cast<double>(step.instances.size()) * loss;
    update(step.step_size);
  }

  void set_loss_sum(double sum) override { loss_sum_ = sum; }
  [[nodiscard]] double loss_sum() const override { return loss_sum_; }

  void copy_out(Vector& weights, Vector& statistics) const override {
    weights = weights_.template cast<double>();
    statistics = statistics_.template cast<double>();
  }

  void save(ByteWriter& state) const override {
    state.write_vector(weights_);
    state.write_vector(statistics_);
    std::visit([&](const auto& rule) { rule.save(state); }, rule_);
  }

  void restore(ByteReader& state) override {
    weights_ = optim::read_flat<Number>(state, weights_.size());
    statistics_ = state.read_vector<NumberVector>(statistics_.size(),
                                                  "the number of statistics");
    std::visit([&](auto& rule) { rule.restore(state); }, rule_);
  }

  [[nodiscard]] Index num_steps() const override {
    return std::visit([](const auto& rule) { return rule.num_steps(); }, rule_);
  }

 private:
  using NumberVector = Eigen::Matrix<Number, Eigen::Dynamic, 1>;

  /// Ranges and so bits are the same for any number of threads.
  void update(double step_size) {
    const auto num_ranges = static_cast<Index>(penalty_.ranges.size());
    std::visit(
        [&](auto& rule) {
          rule.begin_step(step_size);
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

  static constexpr Index kMinThreadedWeights = 1 << 15;

  MiniBatchGradient<Number>& gradient_source_;
  ThreadPool& pool_;
  UpdateRule<Number> rule_;
  Penalty penalty_;
  NumberVector weights_, gradient_;  // [num_weights]
  NumberVector statistics_;          // [num_statistics]
  double loss_sum_ = 0.0;
};

}  // namespace mlp
