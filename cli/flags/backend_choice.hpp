// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "../../mlp/backend/backend.hpp"

namespace mlp::cli {

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
[[nodiscard]] ChosenBackend choose_backend(const std::string& name);

/// Tells OpenBLAS, which is about to be loaded, what it would find out wrongly
/// or not at all: the kernels of this processor, and that the threads are ours.
/// What the user has set in the environment stays.
void prepare_openblas_environment();

}  // namespace mlp::cli
