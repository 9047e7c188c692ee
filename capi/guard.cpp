// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "guard.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <new>
#include <string>
#include <system_error>

#include "../core/error.hpp"
#include "../mlp/result/diverged_error.hpp"

namespace mlp::capi {

namespace {

std::string& last_text() {
  thread_local std::string text;
  return text;
}

mlp_status fail(mlp_status status, const char* sentence) noexcept {
  try {
    last_text() = sentence;
  } catch (const std::bad_alloc&) {
    last_text().clear();
  }
  return status;
}

}  // namespace

const char* last_error() noexcept { return last_text().c_str(); }

mlp_status status_of_exception() noexcept {
  try {
    throw;
  } catch (const ParamError& error) {
    return fail(MLP_PARAM_ERROR, error.what());
  } catch (const ShapeError& error) {
    return fail(MLP_DATA_ERROR, error.what());
  } catch (const DataError& error) {
    return fail(MLP_DATA_ERROR, error.what());
  } catch (const ModelError& error) {
    return fail(MLP_MODEL_ERROR, error.what());
  } catch (const DivergedError& error) {
    return fail(MLP_DIVERGED, error.what());
  } catch (const ResourceError& error) {
    return fail(MLP_RESOURCE_ERROR, error.what());
  } catch (const DeviceError& error) {
    return fail(MLP_DEVICE_ERROR, error.what());
  } catch (const CommunicationError& error) {
    return fail(MLP_DEVICE_ERROR, error.what());
  } catch (const NotCompiled& error) {
    return fail(MLP_DEVICE_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    return fail(MLP_RESOURCE_ERROR, "there is not enough memory");
  } catch (const std::system_error& error) {
    return fail(MLP_RESOURCE_ERROR, error.what());
  } catch (const std::exception& error) {
    return fail(MLP_INTERNAL_ERROR, error.what());
  } catch (...) {
    return fail(MLP_INTERNAL_ERROR, "an unknown exception");
  }
}

void require(const void* argument, const char* name) {
  if (argument != nullptr) return;
  throw ParamError(name, "must not be NULL");
}

void require_alignment(const void* argument, std::size_t alignment,
                       const char* name) {
  const auto address = reinterpret_cast<std::uintptr_t>(argument);
  if (address % alignment == 0) return;
  throw ParamError(name, "must be aligned to " + std::to_string(alignment) +
                             " bytes; got an address that is " +
                             std::to_string(address % alignment) +
                             " bytes off; copy it to an array");
}

void require_rows(std::int64_t num_rows, std::int64_t num_columns) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 8;
  if (num_columns < 1) {
    throw ParamError("num_features",
                     "must be >= 1; got " + std::to_string(num_columns));
  }
  if (num_rows < 0) {
    throw ParamError("num_rows",
                     "must be >= 0; got " + std::to_string(num_rows));
  }
  if (num_rows <= kMost / num_columns) return;
  throw ParamError("num_rows",
                   "must be at most " + std::to_string(kMost / num_columns) +
                       " for rows of " + std::to_string(num_columns) +
                       " features; got " + std::to_string(num_rows));
}

void require_threads(int num_threads) {
  constexpr int kMost = 1024;  // as the program's --threads
  if (num_threads >= 1 && num_threads <= kMost) return;
  throw ParamError("num_threads", "must be from 1 to " + std::to_string(kMost) +
                                      "; got " + std::to_string(num_threads));
}

}  // namespace mlp::capi
