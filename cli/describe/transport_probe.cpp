// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "transport_probe.hpp"

#include "../../distributed/mpi/mpi_allreduce.hpp"

namespace mlp::cli {

namespace {

TransportProbe probe_gloo(const Loaders& loaders) {
  if (!loaders.has_gloo) {
    return {"gloo", "not tried: mlp-dynamic, which has it, is not installed",
            ""};
  }
  if (loaders.has_gloo()) {
    return {"gloo", "", "TCP between processes and machines"};
  }
  return {"gloo",
          "not part of this build; configure with -DMLP_WITH_GLOO=ON where "
          "Gloo is installed",
          ""};
}

TransportProbe probe_mpi(const Loaders& loaders) {
  if (!loaders.probe_mpi) {
    return {"mpi", "not tried: mlp-dynamic, which loads it, is not installed",
            ""};
  }
  const distributed::MpiProbe probe = loaders.probe_mpi("");
  return {"mpi", probe.refusal, probe.library_version};
}

}  // namespace

std::vector<TransportProbe> probe_transports(const Loaders& loaders) {
  return {{"threads", "", "of one process"},
          probe_gloo(loaders),
          probe_mpi(loaders)};
}

}  // namespace mlp::cli
