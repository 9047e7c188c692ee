// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "selection.hpp"

#include <string>
#include <utility>

#include "../../mlp/params/param_rules.hpp"

namespace mlp::cli {

std::optional<SelectionPlan> plan_trainings(const TrainingJob& job,
                                            const TrainingData& data) {
  if (job.options.effort == Effort::kQuick) return std::nullopt;
  const Index num_weights = topology_of(job.params).num_weights();
  auto plan = plan_selection(data.train.num_instances(), num_weights);
  if (!plan) {
    job.global.console.note("--effort standard trains one network, because " +
                            std::to_string(data.train.num_instances()) +
                            " rows are too many to train several");
    return plan;
  }
  if (job.options.is_param_given("regParam")) plan->penalties = {1.0};
  return plan;
}

Selection run_selection(TrainingJob& job, const TrainingData& data,
                        const FitOptions& options, const SelectionPlan& plan) {
  try {
    SelectedModel selected =
        select_model(job.params, data.train, options, plan);
    job.params.layers = selected.fit.model.layers();
    job.params.reg_param = selected.report.reg_param;
    return {{std::move(selected.fit), std::nullopt}, selected.report};
  } catch (const DivergedError& error) {
    throw error.with_context("--effort standard: a training diverged: ",
                             "; no model was written");
  }
}

}  // namespace mlp::cli
