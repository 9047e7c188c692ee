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

/// Makes what a fit needs to save its state in a file, and reads the state that it
/// is to go on from.
///
/// \param fit_options  of the fit, but for this; is_stopping is not null
/// \param group        of this process, null where it has none: each of its ranks
///                     must call this
/// \throws ModelError for a file that is no checkpoint, or one of another training
[[nodiscard]] CheckpointOptions make_checkpoint_options(
    const TrainOptions& train, const Params& params, const TrainingData& data,
    const FitOptions& fit_options, distributed::Allreduce* group,
    const Console& console);

}  // namespace mlp::cli
