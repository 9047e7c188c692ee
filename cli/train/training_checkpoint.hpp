// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../distributed/allreduce.hpp"
#include "../../mlp/checkpoint/checkpoint_options.hpp"
#include "../../mlp/params/params.hpp"
#include "../../mlp/training/fit_options.hpp"
#include "../console/console.hpp"
#include "train_options.hpp"
#include "training_data.hpp"

namespace mlp::cli {

/// Makes the options with which a fit saves its state in a file, and reads the
/// state to resume from.
///
/// \param fit_options  of the fit, without the checkpoint; is_stopping is not
///                     null
/// \param group        of this process, null if it has none; each rank of the
///                     group must call this function
/// \throws ModelError for a file that is not a checkpoint, or is a checkpoint
///         of another training
[[nodiscard]] CheckpointOptions make_checkpoint_options(
    const TrainOptions& train, const Params& params, const TrainingData& data,
    const FitOptions& fit_options, distributed::Allreduce* group,
    const Console& console);

}  // namespace mlp::cli
