// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "../../core/index.hpp"
#include "../../mlp/network/dropout.hpp"

namespace mlp::cuda {

/// Dropout of a hidden layer. The numbers that change in each step are read on the
/// device, so that a captured step can be repeated.
struct UnitDropout {
  Index layer = 0;    ///< 0-based
  double rate = 0.0;  ///< in [0, 1); 0 for no dropout

  /// The seed of the step, on the device [1]. Read if rate > 0.
  const std::uint64_t* seed = nullptr;

  /// The positions that identify the instances, on the device [size]; null for
  /// 0, 1, 2, ...
  const Index* places = nullptr;

  [[nodiscard]] __host__ __device__ DropoutMask mask() const {
    return {rate > 0.0 ? *seed : 0, layer, rate};
  }

  /// Returns the position that identifies the instance of a column.
  [[nodiscard]] __host__ __device__ Index place_of(Index column) const {
    return places ? places[column] : column;
  }
};

}  // namespace mlp::cuda
