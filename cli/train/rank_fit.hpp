// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../distributed/allreduce.hpp"
#include "../../mlp/classifier.hpp"
#include "../../mlp/params/params.hpp"
#include "../../mlp/training/fit_options.hpp"
#include "../console/console.hpp"
#include "../flags/rank_options.hpp"
#include "train_options.hpp"
#include "training_data.hpp"

namespace mlp::cli {

/// Fits on this process, whatever it is a part of: alone, as a rank of a group, or
/// as several ranks that are threads.
///
/// \param data     of all ranks, or of this one where each has a file of its own
/// \param options  but for the distribution; num_threads are each rank's
/// \param group    of this process; null where it has none
/// \throws CommunicationError where a rank is lost
[[nodiscard]] FitResult fit_on_ranks(
    const Params& params, const TrainOptions& train, const TrainingData& data,
    FitOptions options, distributed::Allreduce* group, const Console& console);

}  // namespace mlp::cli
