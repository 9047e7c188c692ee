// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

/// Calls work(), which returns a value; an exception keeps its sentence.
///
/// \return what work() returns, or fallback after an exception
template <typename Value, typename Work>
Value guarded_value(Value fallback, const Work& work) noexcept {
  try {
    return work();
  } catch (...) {
    static_cast<void>(status_of_exception());
    return fallback;
  }
}

/// \throws ParamError naming an argument that is null
void require(const void* argument, const char* name);

/// \throws ParamError naming an address at which no such number can lie
void require_alignment(const void* argument, std::size_t alignment,
                       const char* name);

/// \throws ParamError naming an array that is null or not aligned
template <typename Number>
void require_array(const Number* array, const char* name) {
  require(array, name);
  require_alignment(array, alignof(Number), name);
}

/// \throws ParamError for a negative number, or more numbers than memory has
void require_rows(std::int64_t num_rows, std::int64_t num_columns);

/// \throws ParamError unless a number of threads is one that the program takes
void require_threads(int num_threads);

}  // namespace mlp::capi
