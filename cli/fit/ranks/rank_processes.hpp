// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../rank_options.hpp"

namespace mlp::cli {

/// Starts the ranks of a training as processes on this machine, and waits for
/// them.
///
/// \param words        of this program, without its name
/// \param num_threads  of each rank
/// \return the exit code. The code of a rank that failed is preferred to the codes
///         of the ranks that lost it
/// \throws ResourceError if a process cannot be started; as cuda::require_nccl() if
///         the ranks use NCCL
[[nodiscard]] int run_rank_processes(std::vector<std::string> words,
                                     const RankOptions& options,
                                     int num_threads);

}  // namespace mlp::cli
