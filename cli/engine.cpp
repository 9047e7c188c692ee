// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <cstdlib>

#include "../core/error.hpp"
#include "../mlp/reference_backend.hpp"
#include "../openblas/core_type.hpp"
#include "global_options.hpp"

#ifdef MLP_HAS_CPU_BACKEND
#include "../cpu/cpu_backend.hpp"
#endif

namespace mlp::cli {

namespace {

Engine cpu_engine() {
#ifdef MLP_HAS_CPU_BACKEND
  return {"cpu", &cpu::backend()};
#else
  throw NotCompiled("--engine: the engine cpu", "MLP_BUILD_CPU");
#endif
}

Engine automatic_engine() {
#ifdef MLP_HAS_CPU_BACKEND
  return cpu_engine();
#else
  return {"reference", &reference_backend()};
#endif
}

Engine openblas_engine(const Loaders& loaders) {
  if (!loaders.are_there()) {
    throw NotCompiled("--engine: the engine openblas", "MLP_BUILD_OPENBLAS");
  }
  prepare_openblas_environment();
  return {"openblas", &loaders.openblas_backend()};
}

}  // namespace

Engine choose_engine(const std::string& name, const Loaders& loaders) {
  if (name == "auto") return automatic_engine();
  if (name == "cpu") return cpu_engine();
  if (name == "openblas") return openblas_engine(loaders);
  if (name == "reference") return {"reference", &reference_backend()};
  refuse_value("engine", "auto, cpu, openblas or reference", name);
}

std::string describe_engine(const Engine& engine) {
  return "computing on the engine " + std::string(engine.name) + ", backend " +
         engine.backend->name();
}

void prepare_openblas_environment() {
  constexpr int kKeep = 0;
  const char* const core =
      openblas::choose_core_type(openblas::detect_processor());
  if (core != nullptr) ::setenv("OPENBLAS_CORETYPE", core, kKeep);
  // It would start a thread for each core while it is loaded.
  ::setenv("OPENBLAS_NUM_THREADS", "1", kKeep);
}

}  // namespace mlp::cli
