// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../core/error.hpp"
#include "../distributed/rendezvous/rank_identity.hpp"
#include "cuda_backend.hpp"
#include "devices.hpp"
#include "nccl_transport.hpp"

namespace mlp::cuda {

bool is_compiled() { return false; }

namespace {

NotCompiled without(const char* part) {
  return {part, "MLP_WITH_CUDA", "the CUDA Toolkit 12.8 or later"};
}

NotCompiled without_cuda() { return without("the CUDA backend"); }

NotCompiled without_nccl() { return without("NCCL"); }

}  // namespace

DeviceReport find_devices() {
  DeviceReport report;
  report.refusal = without_cuda().what();
  return report;
}

void find_libraries(DeviceReport& /*report*/) {}

const Backend& backend(const BackendOptions& /*options*/) {
  throw without_cuda();
}

int nccl_device(int /*rank*/, int /*wanted*/) { throw without_nccl(); }

void require_nccl(int /*num_ranks*/) { throw without_nccl(); }

std::unique_ptr<distributed::DeviceAllreduce> make_nccl_allreduce(
    distributed::Rendezvous& rendezvous, const NcclOptions& /*options*/) {
  distributed::excuse(rendezvous, without_nccl().what());
  throw without_nccl();
}

NcclProbe probe_nccl() { return {without_nccl().what(), ""}; }

}  // namespace mlp::cuda
