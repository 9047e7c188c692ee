// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "../../mlp/backend/backend.hpp"

namespace mlp::cli {

/// The backend that the user chose.
struct ChosenBackend {
  std::string_view name;  ///< cuda, or as --backend spells it, never auto
  const Backend* implementation = nullptr;
  std::string device =
      "cpu";  ///< as --device spells it, with the index of cuda
};

/// Describes the backend, for -v.
[[nodiscard]] std::string describe_backend(const ChosenBackend& backend);

/// Chooses the backend.
///
/// \param name  auto, cpu, openblas or reference
/// \throws ParamError for another name; NotCompiled if this build lacks the
///         backend; ResourceError if its library is not installed
[[nodiscard]] ChosenBackend choose_backend(const std::string& name);

/// Sets the environment variables of OpenBLAS before it is loaded: the kernels
/// of this processor, which it may detect wrongly, and one thread, because mlp
/// has its own threads. Variables that the user has set are kept.
void prepare_openblas_environment();

}  // namespace mlp::cli
