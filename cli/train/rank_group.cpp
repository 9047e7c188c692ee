// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "rank_group.hpp"

#include "../../core/error.hpp"

namespace mlp::cli {

std::unique_ptr<distributed::Allreduce> join_group(
    const RankOptions& options, const Loaders& loaders,
    const std::function<void(const std::string&)>& on_lost) {
  if (options.transport == Transport::kMpi) {
    if (loaders.join_mpi) return loaders.join_mpi(options, on_lost);
    throw NotCompiled("--transport: MPI", "MLP_WITH_MPI");
  }
  if (options.rendezvous.empty()) return nullptr;
  if (loaders.join_gloo) return loaders.join_gloo(options);
  throw NotCompiled("--transport: Gloo", "MLP_WITH_GLOO");
}

}  // namespace mlp::cli
