// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "../../distributed/allreduce.hpp"
#include "../flags/rank_options.hpp"

namespace mlp::cli {

/// Meets the other ranks at the rendezvous and connects them by Gloo.
///
/// \throws CommunicationError where they do not meet; NotCompiled
[[nodiscard]] std::unique_ptr<distributed::Allreduce> join_gloo(
    const RankOptions& options);

/// Joins the MPI job that this process is a rank of.
///
/// \param on_lost  is told why before MPI ends the process
/// \throws NotCompiled, ResourceError
[[nodiscard]] std::unique_ptr<distributed::Allreduce> join_mpi(
    const RankOptions& options,
    const std::function<void(const std::string&)>& on_lost);

}  // namespace mlp::cli
