// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "mlp/c_api.h"

/// Errors of the C interface: exceptions become a status and a sentence.
namespace mlp::capi {

/// Returns the sentence of the last error of this thread.
[[nodiscard]] const char* last_error() noexcept;

/// Returns the status of the exception that is handled, and keeps its sentence.
[[nodiscard]] mlp_status status_of_exception() noexcept;

/// Calls work(), whose exceptions become a status.
template <typename Work>
mlp_status guarded(const Work& work) noexcept {
  try {
    work();
    return MLP_OK;
  } catch (...) {
    return status_of_exception();
  }
}

/// \throws ParamError naming an argument that is null
void require(const void* argument, const char* name);

/// \throws ParamError for a negative number, or more numbers than memory has
void require_rows(std::int64_t num_rows, std::int64_t num_columns);

/// \throws ParamError unless a number of threads is at least 1
void require_threads(int num_threads);

}  // namespace mlp::capi
