// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Fits in one process, on the ranks of a group of processes, or on ranks that are
/// threads.

#include <exception>
#include <optional>
#include <string>

#include "../../../distributed/allreduce.hpp"
#include "../../../mlp/classifier.hpp"
#include "../../../mlp/params/params.hpp"
#include "../../../mlp/training/fit_options.hpp"
#include "../../console/console.hpp"
#include "../rank_options.hpp"
#include "../train_options.hpp"
#include "../training_data.hpp"

namespace mlp::cli {

/// The result of a fit on ranks.
struct RankFit {
  FitResult result;

  /// Why there is no model, if the training diverged; it ended with the result.
  std::optional<DivergedError> divergence;

  /// What all ranks did, as a Chrome trace; empty without --timeline, and on the
  /// ranks above 0.
  std::string timeline;

  /// Why the timeline is missing. The result is valid nevertheless.
  std::exception_ptr timeline_failure;
};

/// Fits in this process: as the only rank, as a rank of a group of processes, or as
/// several ranks that are threads.
///
/// \param data     of all ranks, or of this rank if each has a file of its own. The
///                 fit borrows its features, and returns them rounded to
///                 the precision of the training.
/// \param options  without the distribution; num_threads is per rank
/// \param group    of this process; null if it has none
/// \throws CommunicationError if a rank is lost
[[nodiscard]] RankFit fit_on_ranks(const Params& params,
                                   const TrainOptions& train,
                                   TrainingData& data, FitOptions options,
                                   distributed::Allreduce* group,
                                   const Console& console);

/// Writes the timeline of all ranks, if there is one.
///
/// \throws ResourceError if it cannot be written
void save_timeline(const RankFit& ranks, const std::string& file);

}  // namespace mlp::cli
