// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/version.hpp"
#include "../../cuda/devices.hpp"
#include "../../cuda/nccl_transport.hpp"
#include "../../distributed/gloo/gloo_allreduce.hpp"
#include "../../distributed/mpi/mpi_allreduce.hpp"
#include "../commands.hpp"
#include "../console/exit_code.hpp"
#include "../flags/machine.hpp"
#include "doctor_report.hpp"

#ifdef MLP_HAS_CPU_BACKEND
#include "../../cpu/cpu_backend.hpp"
#endif

namespace mlp::cli {

namespace {

std::vector<std::string> list_kernels() {
  std::vector<std::string> names;
#ifdef MLP_HAS_CPU_BACKEND
  for (const Backend* backend : cpu::usable_backends()) {
    names.emplace_back(backend->name());
  }
#endif
  return names;
}

std::vector<OptionalPart> list_parts() {
#ifdef MLP_HAS_CPU_BACKEND
  constexpr bool kHasCpu = true;
#else
  constexpr bool kHasCpu = false;
#endif
#ifdef MLP_HAS_OPENBLAS
  constexpr bool kHasOpenBlas = true;
#else
  constexpr bool kHasOpenBlas = false;
#endif
  return {{"cpu", kHasCpu},
          {"openblas", kHasOpenBlas},
          {"gzip", true},
          {"cuda", cuda::is_compiled()}};
}

/// Tries every transport, without ranks.
std::vector<TransportProbe> probe_transports() {
  const distributed::PluginProbe gloo = distributed::probe_gloo("");
  const distributed::PluginProbe mpi = distributed::probe_mpi("");
  const cuda::NcclProbe nccl = cuda::probe_nccl();
  return {{"threads", "", "within one process"},
          {"gloo", gloo.refusal, gloo.description},
          {"mpi", mpi.refusal, mpi.description},
          {"nccl", nccl.refusal, nccl.description}};
}

}  // namespace

int run_doctor(const GlobalOptions& options) {
  DoctorReport report;
  report.version = kVersion;
  report.processor = processor_name();
  report.num_cores = count_cores();
  report.num_hardware_threads = count_hardware_threads();
  report.num_usable_threads = count_usable_threads();
  report.kernels = list_kernels();
  report.openblas = probe_openblas();
  report.cuda = cuda::find_devices();
  cuda::find_libraries(report.cuda);
  report.transports = probe_transports();
  report.huge_pages = huge_page_policy();
  report.parts = list_parts();
  write_output(options.is_json ? format_doctor_json(report)
                               : format_doctor_text(report));
  return kSuccess;
}

}  // namespace mlp::cli
