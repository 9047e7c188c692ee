// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../core/types.hpp"

namespace mlp::cpu {

/// Number of weights from which threads share one gradient, because a gradient for
/// each thread would not stay in the caches.
inline constexpr Index kSharedWeights = Index{1} << 19;

}  // namespace mlp::cpu
