// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "../../distributed/allreduce.hpp"
#include "../../distributed/mpi/mpi_allreduce.hpp"
#include "../../mlp/backend/backend.hpp"
#include "../../openblas/openblas_library.hpp"
#include "rank_options.hpp"

namespace mlp::cli {

/// What a program that is linked dynamically loads on request. The static one
/// has none of it, and hands such work to its twin: see dynamic_twin.hpp.
struct Loaders {
  const Backend& (*openblas_backend)() = nullptr;
  const openblas::Library& (*openblas_library)() = nullptr;
  std::unique_ptr<distributed::Allreduce> (*join_gloo)(const RankOptions&) =
      nullptr;
  std::unique_ptr<distributed::Allreduce> (*join_mpi)(
      const RankOptions&,
      const std::function<void(const std::string&)>&) = nullptr;
  bool (*has_gloo)() noexcept = nullptr;
  distributed::MpiProbe (*probe_mpi)(const std::string&) = nullptr;

  [[nodiscard]] bool are_there() const { return openblas_library != nullptr; }
};

/// The backend that the user chose.
struct ChosenBackend {
  std::string_view name;  ///< as --backend spells it, never auto
  const Backend* implementation = nullptr;
};

/// Describes the backend, for -v.
[[nodiscard]] std::string describe_backend(const ChosenBackend& backend);

/// Chooses the backend.
///
/// \param name  auto, cpu, openblas or reference
/// \throws ParamError for another name; NotCompiled where this build lacks the
///         backend; ResourceError where its library is not installed
[[nodiscard]] ChosenBackend choose_backend(const std::string& name,
                                           const Loaders& loaders);

/// Tells OpenBLAS, which is about to be loaded, what it would find out wrongly
/// or not at all: the kernels of this processor, and that the threads are ours.
/// What the user has set in the environment stays.
void prepare_openblas_environment();

}  // namespace mlp::cli
