// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "selection.hpp"

#include <string>
#include <utility>

#include "../../../core/error.hpp"
#include "../../../core/names.hpp"
#include "../../../mlp/training/fit/standardized_fit.hpp"
#include "../../flags/param_flags.hpp"
#include "folds.hpp"

namespace mlp::cli {

std::optional<SelectionPlan> plan_trainings(const TrainingJob& job,
                                            const TrainingData& data,
                                            const FitOptions& options) {
  if (job.options.effort == Effort::kQuick) return std::nullopt;
  SelectionFacts facts{data.train.num_instances(), job.options.effort,
                       job.options.params_given, job.options.export_format};
  facts.coverage = job.options.coverage;
  SelectionChoice choice =
      name_flags([&] { return plan_selection(job.params, facts, options); });
  if (!choice.plan && !data.train.groups.empty() && job.options.split.empty()) {
    throw ParamError(
        "--group: " + choice.note +
        ", and has no folds to keep groups together; leave it out");
  }
  if (!choice.note.empty()) job.global.console.note(choice.note);
  const Index num_folds = job.options.num_folds;
  if (num_folds == 0) return std::move(choice.plan);
  if (!choice.plan) {
    throw ParamError("--folds: " + choice.note +
                     "; add --effort quick to train it without each fold");
  }
  require_folds(data.train, num_folds);
  choice.plan->num_folds = num_folds;
  return std::move(choice.plan);
}

FitResult run_selection(TrainingJob& job, const TrainingData& data,
                        const FitOptions& options, const SelectionPlan& plan) {
  FitOptions unscaled = options;
  unscaled.is_standardizing = job.options.is_standardizing;
  if (job.options.is_standardizing_labels) {
    unscaled.label_scale = fit_label_scale(data.train, nullptr);
  }
  try {
    FitResult selected = name_flags(
        [&] { return select_model(job.params, data.train, unscaled, plan); });
    if (!selected.selection) return selected;
    job.params.layers = selected.model.layers();
    job.params.layers.front() = data.num_features();
    job.params.numeric_encoding = selected.selection->encoding;
    job.params.reg_param = selected.selection->reg_param;
    return selected;
  } catch (const DivergedError& error) {
    throw error.with_context(
        "--effort " + std::string(name_in(kEffortNames, job.options.effort)) +
            ": a training diverged: ",
        "; no model was written");
  }
}

}  // namespace mlp::cli
