// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A training that chooses among several, in this process.

#include <optional>

#include "../../../mlp/params/params.hpp"
#include "../../../mlp/selection/select_model.hpp"
#include "../../../mlp/training/fit_options.hpp"
#include "../fit.hpp"
#include "../training_data.hpp"
#include "../training_job.hpp"

namespace mlp::cli {

/// Plans the trainings of --effort.
///
/// \return nothing if one training is enough; a note says why, if the effort is
///         standard
[[nodiscard]] std::optional<SelectionPlan> plan_trainings(
    const TrainingJob& job, const TrainingData& data,
    const FitOptions& options);

/// Selects a model with the library.
///
/// \param[in,out] job  gets the layers and the penalty that were chosen
/// \return as select_model(); after a signal what is trained until then
[[nodiscard]] FitResult run_selection(TrainingJob& job,
                                      const TrainingData& data,
                                      const FitOptions& options,
                                      const SelectionPlan& plan);

}  // namespace mlp::cli
