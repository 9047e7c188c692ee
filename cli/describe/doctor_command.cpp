// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/plugin/plugin_file.hpp"
#include "../../core/version.hpp"
#include "../../cuda/devices.hpp"
#include "../../cuda/nccl_transport.hpp"
#include "../../datasets/arrow/arrow_plugin.hpp"
#include "../../datasets/load/arrow_files.hpp"
#include "../../distributed/gloo/gloo_allreduce.hpp"
#include "../../distributed/mpi/mpi_allreduce.hpp"
#include "../../openblas/openblas_backend.hpp"
#include "../commands.hpp"
#include "../console/exit_code.hpp"
#include "../flags/backend_choice.hpp"
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

/// Returns true if the plugin that reads Parquet and Arrow files can be loaded.
bool has_arrow_plugin() {
  try {
    static_cast<void>(load_plugin_file<datasets::ArrowPlugin>(
        datasets::detail::kArrowPlugin, "", datasets::kArrowPluginVersion));
    return true;
  } catch (const Error&) {
    return false;
  }
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
          {"cuda", cuda::is_compiled()},
          {"parquet", has_arrow_plugin()}};
}

#ifdef MLP_HAS_OPENBLAS

constexpr const char* kVariable = "OPENBLAS_CORETYPE";

/// Writes the name of the kernels that OpenBLAS chooses by itself, and ends the
/// process.
[[noreturn]] void tell_detected_core(int descriptor) {
  ::unsetenv(kVariable);
  int exit_code = 1;
  try {
    const std::string core = openblas::library().core_name();
    const ssize_t written = ::write(descriptor, core.data(), core.size());
    exit_code = written == static_cast<ssize_t>(core.size()) ? 0 : 1;
  } catch (const Error&) {
    exit_code = 1;  // this process meets the same error and reports it
  }
  ::_exit(exit_code);
}

/// Returns the kernels that OpenBLAS chooses by itself, or "unknown" if it
/// fails.
std::string detect_core() {
  std::string core;
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "unknown";
  const pid_t process = ::fork();
  if (process == 0) tell_detected_core(ends[1]);
  ::close(ends[1]);
  std::array<char, 64> bytes{};
  ssize_t count = 0;
  while (process > 0 &&
         (count = ::read(ends[0], bytes.data(), bytes.size())) > 0) {
    core.append(bytes.data(), static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  if (process > 0) ::waitpid(process, nullptr, 0);
  return core.empty() ? "unknown" : core;
}

/// Loads OpenBLAS twice: in a separate process, where it chooses its kernels by
/// itself, and as --backend does. A machine or a build without OpenBLAS is not
/// an error.
OpenBlasProbe probe_openblas() {
  OpenBlasProbe probe;
  const bool is_users_choice = std::getenv(kVariable) != nullptr;
  std::string detected_core = detect_core();
  prepare_openblas_environment();
  try {
    const openblas::Library& library = openblas::library();
    probe.config = library.config();
    probe.core = library.core_name();
    probe.detected_core = std::move(detected_core);
  } catch (const ResourceError& error) {
    probe.problem = error.what();
    return probe;
  }
  if (is_users_choice) {
    probe.choice = CoreChoice::kUser;
  } else if (std::getenv(kVariable) != nullptr) {
    probe.choice = CoreChoice::kProgram;
  }
  return probe;
}

#else

OpenBlasProbe probe_openblas() {
  OpenBlasProbe probe;
  probe.problem = NotCompiled("OpenBLAS", "MLP_BUILD_OPENBLAS").what();
  return probe;
}

#endif

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
  report.is_python_package = mlp::detail::kIsPythonPackage;
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
