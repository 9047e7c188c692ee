// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../mlp/backend/backend.hpp"

namespace mlp::openblas {

/// Returns the backend that computes matrix products with OpenBLAS.
///
/// It makes one OpenBLAS call for each product, layer and tile of instances.
/// Everything else is computed as in the reference backend. name() is
/// "OpenBLAS".
///
/// In float32, compute_gradient() sums the gradient of one call in float32 and adds
/// the result in double precision. Losses are in double precision.
///
/// \throws ResourceError if library() cannot load OpenBLAS; ParamError from
///         make_gradient_evaluator() for a network that Spark does not have
[[nodiscard]] const Backend& backend();

}  // namespace mlp::openblas
