// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace mlp {

/// Counts and positions: the type of Eigen's indices.
using Index = std::ptrdiff_t;

}  // namespace mlp
