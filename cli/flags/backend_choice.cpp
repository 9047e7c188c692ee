// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "backend_choice.hpp"

#include <cstdlib>

#include "../../core/error.hpp"
#include "../../mlp/backend/reference_backend.hpp"
#include "../../openblas/openblas_backend.hpp"
#include "flag_reader.hpp"

#ifdef MLP_HAS_CPU_BACKEND
#include "../../cpu/cpu_backend.hpp"
#endif

namespace mlp::cli {

namespace {

ChosenBackend cpu_backend() {
#ifdef MLP_HAS_CPU_BACKEND
  return {"cpu", &cpu::backend()};
#else
  throw NotCompiled("--backend: the backend cpu", "MLP_BUILD_CPU");
#endif
}

ChosenBackend automatic_backend() {
#ifdef MLP_HAS_CPU_BACKEND
  return cpu_backend();
#else
  return {"reference", &reference_backend()};
#endif
}

ChosenBackend openblas_backend() {
#ifdef MLP_HAS_OPENBLAS
  prepare_openblas_environment();
  return {"openblas", &openblas::backend()};
#else
  throw NotCompiled("--backend: the backend openblas", "MLP_BUILD_OPENBLAS");
#endif
}

}  // namespace

ChosenBackend choose_backend(const std::string& name) {
  if (name == "auto") return automatic_backend();
  if (name == "cpu") return cpu_backend();
  if (name == "openblas") return openblas_backend();
  if (name == "reference") return {"reference", &reference_backend()};
  refuse_value("backend", kChoices<kBackendNames>, name);
}

std::string describe_backend(const ChosenBackend& backend) {
  const std::string place =
      backend.device == "cpu" ? "" : " on " + backend.device;
  return "computing with the backend " + std::string(backend.name) + place +
         ", kernels " + backend.implementation->name();
}

void prepare_openblas_environment() {
  constexpr int kKeep = 0;
  const char* const core =
      openblas::choose_core_type(openblas::detect_processor());
  if (core != nullptr) ::setenv("OPENBLAS_CORETYPE", core, kKeep);
  // Otherwise OpenBLAS starts a thread for each core while it is loaded.
  ::setenv("OPENBLAS_NUM_THREADS", "1", kKeep);
}

}  // namespace mlp::cli
