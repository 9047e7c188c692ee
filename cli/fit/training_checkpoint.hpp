// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The options with which a fit saves its state in a file, and the state to resume
/// from.

#include <string>

#include "../../mlp/checkpoint/checkpoint_options.hpp"
#include "../../mlp/training/fit_options.hpp"
#include "../console/console.hpp"
#include "training_data.hpp"
#include "training_job.hpp"

namespace mlp::cli {

/// How the writes of a checkpoint ended.
struct CheckpointOutcome {
  int num_written = 0;
  int num_failed = 0;
  std::string failure;  ///< the sentence of the last failure
};

/// Refuses a checkpoint that exists, unless a flag continues or replaces it.
///
/// \throws ParamError naming the file and both flags
void refuse_existing_checkpoint(const CheckpointFlags& options);

/// Makes the options with which a fit saves its state in a file, and reads the
/// state to resume from. Each rank of a group must call this function.
///
/// \param fit_options  of the fit, without the checkpoint; is_stopping is not
///                     null
/// \param outcome  receives how each write ends; must outlive the fit. A write
///                 that fails is a warning, and the training goes on.
/// \throws ModelError for a file that is not a checkpoint, or is a checkpoint
///         of another training
[[nodiscard]] CheckpointOptions make_checkpoint_options(
    const TrainingJob& job, const TrainingData& data,
    const FitOptions& fit_options, CheckpointOutcome& outcome);

/// Checks how the writes ended, and notes if none was due.
///
/// \param is_saved  the model is saved, for the message
/// \throws ResourceError if a checkpoint was not written
void require_checkpoints(const CheckpointOutcome& outcome,
                         const CheckpointFlags& options, const Console& console,
                         bool is_saved);

}  // namespace mlp::cli
