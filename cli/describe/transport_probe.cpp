// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "transport_probe.hpp"

#include "../../distributed/gloo/gloo_allreduce.hpp"
#include "../../distributed/mpi/mpi_allreduce.hpp"

namespace mlp::cli {

std::vector<TransportProbe> probe_transports() {
  const distributed::PluginProbe gloo = distributed::probe_gloo("");
  const distributed::PluginProbe mpi = distributed::probe_mpi("");
  return {{"threads", "", "of one process"},
          {"gloo", gloo.refusal, gloo.description},
          {"mpi", mpi.refusal, mpi.description}};
}

}  // namespace mlp::cli
