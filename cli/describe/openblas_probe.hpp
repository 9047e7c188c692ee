// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mlp::cli {

/// Who named the kernels that OpenBLAS uses.
enum class CoreChoice { kOpenBlas, kProgram, kUser };

/// The OpenBLAS of this machine.
struct OpenBlasProbe {
  std::string problem;  ///< why it cannot be used; empty where it can
  std::string config;   ///< its version and how it was built
  std::string core;     ///< the kernels in use
  CoreChoice choice = CoreChoice::kOpenBlas;
  std::string detected_core;  ///< the kernels it would use if left alone
};

/// Loads OpenBLAS twice: left alone, in a process of its own, and as --backend
/// does. A machine or a build without it is no error.
[[nodiscard]] OpenBlasProbe probe_openblas();

}  // namespace mlp::cli
