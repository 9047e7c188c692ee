// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/types.hpp"
#include "../../optim/summary.hpp"

namespace mlp {

/// What a training ends with.
struct TrainedWeights {
  Vector weights;     ///< [num_weights]
  Vector statistics;  ///< [num_statistics]
  optim::Summary summary;
};

}  // namespace mlp
