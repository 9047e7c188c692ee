// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "../../distributed/allreduce.hpp"
#include "../console/console.hpp"
#include "../flags/rank_options.hpp"

namespace mlp::cli {

/// The group that this process is a rank of.
///
/// \param on_lost  is told why before MPI ends the process
/// \return null where this process is alone or its ranks are threads
/// \throws CommunicationError where the ranks do not meet; NotCompiled or
///         ResourceError where the plugin of the transport is missing
[[nodiscard]] std::unique_ptr<distributed::Allreduce> join_group(
    const RankOptions& options,
    const std::function<void(const std::string&)>& on_lost);

/// After how long a call is reported that waits for others.
inline constexpr double kStallSeconds = 10.0;

}  // namespace mlp::cli
