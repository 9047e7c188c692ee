// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../mlp/reference_backend.hpp"

#ifdef MLP_HAS_CPU_BACKEND
#include "../cpu/cpu_backend.hpp"
#endif

namespace mlp::cli {

/// The fastest implementation that this build and this processor have.
[[nodiscard]] inline const Backend& default_backend() {
#ifdef MLP_HAS_CPU_BACKEND
  return cpu::backend();
#else
  return reference_backend();
#endif
}

}  // namespace mlp::cli
