// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "guard.hpp"

#include <exception>
#include <limits>
#include <new>
#include <string>

#include "../core/error.hpp"

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
  } catch (const ResourceError& error) {
    return fail(MLP_RESOURCE_ERROR, error.what());
  } catch (const DeviceError& error) {
    return fail(MLP_DEVICE_ERROR, error.what());
  } catch (const NotCompiled& error) {
    return fail(MLP_DEVICE_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    return fail(MLP_RESOURCE_ERROR, "there is not enough memory");
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

void require_rows(std::int64_t num_rows, std::int64_t num_columns) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 8;
  if (num_rows >= 0 && num_columns > 0 && num_rows <= kMost / num_columns) {
    return;
  }
  throw ParamError("num_rows", "must be >= 0 with at least 1 feature; got " +
                                   std::to_string(num_rows) + " rows of " +
                                   std::to_string(num_columns));
}

void require_threads(int num_threads) {
  if (num_threads >= 1) return;
  throw ParamError("num_threads",
                   "must be >= 1; got " + std::to_string(num_threads));
}

}  // namespace mlp::capi
