// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"

namespace mlp {

/// Returns the reference backend, which is the specification for all others.
///
/// It needs only Eigen.
[[nodiscard]] const Backend& reference_backend();

}  // namespace mlp

#ifndef MLP_COMPILED  // otherwise mlp::compiled defines the function
namespace mlp {
inline const Backend& reference_backend();
}  // namespace mlp
#include "reference_backend.ipp"
#endif
