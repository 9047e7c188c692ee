// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

#include "../../core/error.hpp"
#include "../../openblas/openblas_backend.hpp"

namespace mlp::testing {

/// The OpenBLAS of this machine; null, and a line that makes CTest call the test
/// skipped, where there is none.
inline const openblas::Library* installed_library() {
  const char* const core =
      openblas::choose_core_type(openblas::detect_processor());
  if (core) ::setenv("OPENBLAS_CORETYPE", core, 0);
  try {
    return &openblas::library();
  } catch (const ResourceError& error) {
    std::printf("test skipped: %s\n", error.what());
    return nullptr;
  }
}

}  // namespace mlp::testing
