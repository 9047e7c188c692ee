// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Fits on the ranks of a group of processes, or on ranks that are threads.

#include <exception>
#include <string>

#include "../../../mlp/training/fit_options.hpp"
#include "../fit.hpp"
#include "../training_data.hpp"
#include "../training_job.hpp"

namespace mlp::cli {

/// The result of a fit on ranks.
struct RankFit : Fit {
  /// A Chrome trace of all ranks. It is empty without --timeline, and on the ranks
  /// above 0.
  std::string timeline;

  /// Why the timeline is missing. The result is valid nevertheless.
  std::exception_ptr timeline_failure;
};

/// Returns true if the flags ask for ranks, or for the timeline of one.
[[nodiscard]] bool needs_ranks(const TrainingJob& job);

/// Fits as a rank of the group of this process, or on several ranks that are
/// threads.
///
/// \param data     of all ranks, or of this rank if each has a file of its own
/// \param options  without the distribution; num_threads is per rank
/// \throws CommunicationError if a rank is lost
[[nodiscard]] RankFit fit_on_ranks(const TrainingJob& job,
                                   TrainingInstances& data, FitOptions options);

/// Writes the timeline of all ranks, if there is one.
///
/// \throws ResourceError if it cannot be written
void save_timeline(const RankFit& ranks, const std::string& file);

}  // namespace mlp::cli
