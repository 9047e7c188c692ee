// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mlp::cli {

/// Who chose the kernels of OpenBLAS.
enum class CoreChoice { kOpenBlas, kProgram, kUser };

/// The OpenBLAS of this machine.
struct OpenBlasProbe {
  std::string problem;  ///< why it cannot be used; empty if it can
  std::string config;   ///< its version and how it was built
  std::string core;     ///< the kernels in use
  CoreChoice choice = CoreChoice::kOpenBlas;
  std::string detected_core;  ///< the kernels that OpenBLAS chooses by itself
};

/// Loads OpenBLAS twice: in a separate process, where it chooses its kernels by
/// itself, and as --backend does. A machine or a build without OpenBLAS is not
/// an error.
[[nodiscard]] OpenBlasProbe probe_openblas();

}  // namespace mlp::cli
