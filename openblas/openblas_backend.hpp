// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../mlp/backend/backend.hpp"

namespace mlp::openblas {

/// Returns the backend that leaves its three products to OpenBLAS, one call for
/// each layer and tile of instances; all else is as in the reference. Its name()
/// is "OpenBLAS".
///
/// In float32 the gradient of a call of add_gradient() is summed in float32 and
/// then added in double; losses are double.
///
/// \throws ResourceError where library() cannot be loaded
[[nodiscard]] const Backend& backend();

}  // namespace mlp::openblas
