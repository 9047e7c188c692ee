// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A fit in this process, as its only rank.

#include <optional>

#include "../../mlp/classifier.hpp"
#include "../../mlp/instances/training_instances.hpp"
#include "../../mlp/params/params.hpp"
#include "../../mlp/training/fit_options.hpp"
#include "stop_signal.hpp"
#include "training_data.hpp"
#include "training_job.hpp"

namespace mlp::cli {

/// The result of a fit.
struct Fit {
  FitResult result;

  /// Why there is no model, if the training diverged; it ended with the result.
  std::optional<DivergedError> divergence;
};

/// Returns the options of a fit by the flags. The caller adds the checkpoint, the
/// callback and the ranks.
///
/// \param data  must outlive the fit, as job must
[[nodiscard]] FitOptions make_fit_options(const TrainingJob& job,
                                          const TrainingData& data,
                                          const StopSignal& signal);

/// Returns the hyper-parameters of a fit on data.train: its features may be encoded.
[[nodiscard]] Params network_params(const TrainingJob& job,
                                    const TrainingData& data);

/// Fits with the library. Later scores use the features as trained.
[[nodiscard]] Fit run_fit(const Params& params, TrainingInstances& data,
                          const FitOptions& options);

}  // namespace mlp::cli
