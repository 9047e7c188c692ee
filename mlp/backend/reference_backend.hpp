// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"

namespace mlp {

/// The backend that needs nothing but Eigen: the specification of all others.
[[nodiscard]] const Backend& reference_backend();

}  // namespace mlp

#ifndef MLP_COMPILED  // else mlp::compiled defines it
namespace mlp {
inline const Backend& reference_backend();
}  // namespace mlp
#include "reference_backend.ipp"
#endif
