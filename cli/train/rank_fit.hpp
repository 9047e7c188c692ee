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

/// Fits in this process: as the only rank, as a rank of a group of processes, or as
/// several ranks that are threads.
///
/// \param data     of all ranks, or of this rank if each has a file of its own
/// \param options  without the distribution; num_threads is per rank
/// \param group    of this process; null if it has none
/// \throws CommunicationError if a rank is lost
[[nodiscard]] FitResult fit_on_ranks(
    const Params& params, const TrainOptions& train, const TrainingData& data,
    FitOptions options, distributed::Allreduce* group, const Console& console);

}  // namespace mlp::cli
