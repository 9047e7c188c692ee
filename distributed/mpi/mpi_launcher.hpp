// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlp::distributed {

/// Tells whether mpirun, srun or another launcher of MPI started this process,
/// by the variables that Open MPI, PMI, PMIx and Slurm set.
///
/// \param environment  std::getenv, or what stands for it
template <typename Environment>
[[nodiscard]] bool is_started_by_mpi(const Environment& environment) {
  const auto has = [&environment](const char* name) {
    return environment(name) != nullptr;
  };
  return has("OMPI_COMM_WORLD_SIZE") || has("PMI_SIZE") || has("PMIX_RANK") ||
         (has("SLURM_STEP_ID") && has("PMI_RANK"));
}

}  // namespace mlp::distributed
