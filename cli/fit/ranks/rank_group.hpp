// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "../../../distributed/allreduce.hpp"
#include "../rank_options.hpp"
#include "../training_job.hpp"

namespace mlp::cli {

/// Joins the group of ranks that this process belongs to.
///
/// \param on_lost  is called with the reason before MPI ends the process
/// \return null if this process trains alone or its ranks are threads
/// \throws CommunicationError if the ranks do not find each other; NotCompiled
///         or ResourceError if the transport is missing; DeviceError if it needs
///         a device and there is none
[[nodiscard]] std::unique_ptr<distributed::Allreduce> join_group(
    const RankOptions& options,
    const std::function<void(const std::string&)>& on_lost);

/// A call that waits for other ranks for longer than this is reported.
inline constexpr double kStallSeconds = 10.0;

/// Makes this process a rank of its group: only rank 0 prints, and each rank has its
/// own files if their names contain {rank}.
void take_rank(TrainingJob& job);

}  // namespace mlp::cli
