// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Cross-validation: the scores of trainings without a part of the rows each.

#include <functional>
#include <optional>
#include <string>

#include "../../flags/global_options.hpp"
#include "../fit.hpp"
#include "../stop_signal.hpp"
#include "../train_options.hpp"
#include "../training_data.hpp"
#include "quality.hpp"

namespace mlp::cli {

/// Trains a model on the training rows of a fold.
///
/// \param data      its features are lent to the fit, which may round them
/// \param progress  begins a line of progress, such as "fold 2 of 5, "
using FoldFit =
    std::function<Fit(TrainingData& data, const std::string& progress)>;

/// \throws DataError if there are fewer instances, or groups, than folds
void require_folds(const datasets::Dataset& data, Index num_folds);

/// Tests a training by cross-validation: divides the rows in folds with the same
/// share of each class, or with whole groups, trains once without each of them, and tests on it.
/// Each fold is scaled by its training rows, which also give the validation rows.
///
/// \param all  the rows of read_training_data(), without a group
/// \return the score of each fold; nothing if a signal stopped the training, which is
///         then noted
/// \throws DataError if there are fewer rows than folds; DivergedError if the
///         training of a fold diverged
[[nodiscard]] std::optional<FoldScores> cross_validate(
    const TrainingData& all, const TrainOptions& options,
    const GlobalOptions& global, const StopSignal& signal, const FoldFit& fit);

}  // namespace mlp::cli
