// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "openblas_probe.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>

#include "../../core/error.hpp"
#include "../../openblas/openblas_backend.hpp"
#include "../flags/backend_choice.hpp"

namespace mlp::cli {

#ifdef MLP_HAS_OPENBLAS

namespace {

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

}  // namespace

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
  probe.problem = "not part of this build";
  return probe;
}

#endif

}  // namespace mlp::cli
