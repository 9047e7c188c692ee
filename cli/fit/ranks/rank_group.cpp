// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "rank_group.hpp"

#include <algorithm>

#include "../../../cuda/nccl_transport.hpp"
#include "../../../distributed/gloo/gloo_allreduce.hpp"
#include "../../../distributed/mpi/mpi_allreduce.hpp"
#include "../../../distributed/rendezvous/directory_rendezvous.hpp"

namespace mlp::cli {

namespace {

/// Finds the other ranks through the folder and connects to them.
std::unique_ptr<distributed::Allreduce> meet(const RankOptions& options) {
  // A shorter deadline of a sum holds for the meeting too.
  const double meeting =
      std::min(distributed::meeting_seconds(options.world_size),
               options.timeout_seconds);
  distributed::DirectoryRendezvous rendezvous(options.rendezvous, options.rank,
                                              options.world_size, meeting);
  if (options.transport == Transport::kNccl) {
    cuda::NcclOptions nccl;
    nccl.deadline_seconds = options.timeout_seconds;
    nccl.connect_seconds = meeting;
    nccl.address = options.address;
    nccl.device = options.device;
    return cuda::make_nccl_allreduce(rendezvous, nccl);
  }
  distributed::GlooOptions gloo;
  gloo.deadline_seconds = options.timeout_seconds;
  gloo.connect_seconds = meeting;
  gloo.address = options.address;
  return distributed::make_gloo_allreduce(rendezvous, gloo);
}

}  // namespace

std::unique_ptr<distributed::Allreduce> join_group(
    const RankOptions& options,
    const std::function<void(const std::string&)>& on_lost) {
  if (options.transport == Transport::kMpi) {
    distributed::MpiOptions mpi;
    mpi.deadline_seconds = options.timeout_seconds;
    mpi.on_lost = on_lost;
    return distributed::make_mpi_allreduce(mpi);
  }
  if (options.rendezvous.empty()) return nullptr;
  return meet(options);
}

void take_rank(TrainingJob& job) {
  TrainOptions& train = job.options;
  const int rank = job.group->rank();
  for (std::string& file : train.data) file = file_of_rank(file, rank);
  train.labels_file = file_of_rank(train.labels_file, rank);
  const bool is_own_model = has_rank(train.model_file);
  train.model_file = file_of_rank(train.model_file, rank);
  if (train.ranks.transport == Transport::kNccl) {
    // NCCL sums where each rank computes.
    job.global.device.kind = DeviceRequest::Kind::kCuda;
    job.global.device.index = cuda::nccl_device(rank, train.ranks.device);
  }
  if (rank == 0) return;
  job.global.console.is_quiet = true;
  job.global.console.is_silent = true;
  job.global.progress = ProgressMode::kNever;
  if (!is_own_model) train.model_file.clear();
}

}  // namespace mlp::cli
