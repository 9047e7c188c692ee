// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../../mlp/backend/backend.hpp"

namespace mlp::python {

/// Returns the backend of the tuned kernels, or the reference without them.
[[nodiscard]] const Backend& scoring_backend();

/// Returns a backend for a training.
///
/// \param name    "auto", "cpu", "openblas" or "reference"
/// \param device  "cpu", "cuda" or "cuda:N"
/// \throws ParamError for another name; NotCompiled or DeviceError if the backend
///         cannot be used
[[nodiscard]] const Backend& training_backend(const std::string& name,
                                              const std::string& device);

}  // namespace mlp::python
