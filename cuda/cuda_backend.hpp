// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "../mlp/backend/backend.hpp"

namespace mlp::cuda {

/// Which device a backend uses, and how much of it.
struct BackendOptions {
  int device = 0;  ///< 0-based, as the driver counts

  /// The most device memory that the backend allocates; 0: all free memory. Larger
  /// data are copied to the device in parts.
  std::size_t memory_limit_bytes = 0;
};

/// Returns the backend of an NVIDIA device. It lives until the program ends, and
/// each call with the same options returns the same one.
///
/// \throws NotCompiled for a build without CUDA; DeviceError if the device or a
///         library cannot be used
/// \cost   the first call for a device makes its context: about half a second
[[nodiscard]] const Backend& backend(const BackendOptions& options = {});

}  // namespace mlp::cuda
