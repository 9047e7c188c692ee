// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../core/error.hpp"
#include "../distributed/rendezvous/rank_identity.hpp"
#include "cuda_backend.hpp"
#include "devices.hpp"
#include "nccl_transport.hpp"

namespace mlp::cuda {

bool is_compiled() { return false; }

DeviceReport find_devices() {
  DeviceReport report;
  report.refusal =
      "the CUDA backend is not part of this build; install the CUDA Toolkit "
      "12.8 or later, configure with -DMLP_WITH_CUDA=ON and build again";
  return report;
}

void find_libraries(DeviceReport& /*report*/) {}

const Backend& backend(const BackendOptions& /*options*/) {
  throw NotCompiled("the CUDA backend", "MLP_WITH_CUDA",
                    "the CUDA Toolkit 12.8 or later");
}

namespace {

NotCompiled without_nccl() {
  return {"NCCL", "MLP_WITH_CUDA", "the CUDA Toolkit 12.8 or later"};
}

}  // namespace

int nccl_device(int /*rank*/, int /*wanted*/) { throw without_nccl(); }

void require_nccl(int /*num_ranks*/) { throw without_nccl(); }

std::unique_ptr<distributed::DeviceAllreduce> make_nccl_allreduce(
    distributed::Rendezvous& rendezvous, const NcclOptions& /*options*/) {
  distributed::excuse(rendezvous, without_nccl().what());
  throw without_nccl();
}

NcclProbe probe_nccl() { return {without_nccl().what(), ""}; }

}  // namespace mlp::cuda
