// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "join_transport.hpp"

#include <algorithm>

#include "../../distributed/gloo/gloo_allreduce.hpp"
#include "../../distributed/mpi/mpi_allreduce.hpp"
#include "../../distributed/rendezvous/open_rendezvous.hpp"

// Only the program that is linked dynamically has this file.

namespace mlp::cli {

namespace {

/// Ranks that are started by hand meet within this time, or the deadline of a
/// sum where that is shorter.
constexpr double kMeetingSeconds = 60.0;

}  // namespace

std::unique_ptr<distributed::Allreduce> join_gloo(const RankOptions& options) {
  const double meeting = std::min(kMeetingSeconds, options.timeout_seconds);
  const auto rendezvous = distributed::open_rendezvous(
      options.rendezvous, options.rank, options.world_size, meeting);
  distributed::GlooOptions gloo;
  gloo.deadline_seconds = options.timeout_seconds;
  gloo.connect_seconds = meeting;
  return distributed::make_gloo_allreduce(*rendezvous, gloo);
}

std::unique_ptr<distributed::Allreduce> join_mpi(
    const RankOptions& options,
    const std::function<void(const std::string&)>& on_lost) {
  distributed::MpiOptions mpi;
  mpi.deadline_seconds = options.timeout_seconds;
  mpi.on_lost = on_lost;
  return distributed::make_mpi_allreduce(mpi);
}

}  // namespace mlp::cli
