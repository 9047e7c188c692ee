// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mlp::cuda_host {

/// What the CUDA model leaves open. A correct kernel gives the same bits for
/// every choice.
struct ExecutionSettings {
  /// The order of blocks, and of threads between two barriers; 0 is that of
  /// their indices.
  std::uint64_t order_seed = 0;

  /// The value of each byte of fresh memory. Numbers of bytes 0xff are NaN.
  std::uint8_t fill = 0xff;

  /// The most blocks of a launch, whose others are left out; 0 for all. A kernel that
  /// strides over its elements gives the same numbers with fewer blocks.
  unsigned max_blocks = 0;
};

/// Returns the settings of the next launches and allocations.
inline ExecutionSettings& execution_settings() {
  static ExecutionSettings settings;
  return settings;
}

}  // namespace mlp::cuda_host
