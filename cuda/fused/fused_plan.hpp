// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "../../core/index.hpp"
#include "fused_network.hpp"

namespace mlp {
class Topology;
}  // namespace mlp

namespace mlp::cuda {

/// How blocks share the work of an evaluation on chip. Except for the question
/// whether a device has enough shared memory, it depends on the sizes of network
/// and data only, so that the bits of a result are the same on every device.
struct FusedPlan {
  static constexpr unsigned kMaxThreads = 256;  ///< of a block

  FusedNetwork network;
  unsigned num_threads = 0;      ///< of a block, a power of two
  std::size_t shared_bytes = 0;  ///< of a block
  Index slice_size = 0;  ///< instances of a block, a multiple of the tile
  Index num_slices = 0;  ///< blocks, at least 1

  /// Bytes of the sums of all slices.
  [[nodiscard]] std::size_t slice_bytes(std::size_t number_bytes) const {
    return static_cast<std::size_t>(num_slices * network.num_weights) *
           number_bytes;
  }
};

/// Plans the evaluation of a network on chip.
///
/// Weights and gradient of a layer take 2 (num_inputs + 1) num_outputs numbers,
/// with num_outputs rounded up to an odd number; a tile takes its size + 1 for
/// each feature and unit, each row of ones, and twice for units of which the
/// derivative needs z. [784, 100, 10] takes 643 KB in float32 for weights and
/// gradient alone, too much for every device.
///
/// \param number_bytes  8 for float64, 4 for float32
/// \param shared_limit  shared memory that a block may have, in bytes
/// \return nothing if the network is not fusable or needs more memory
[[nodiscard]] std::optional<FusedPlan> plan_fused(const Topology& topology,
                                                  std::size_t number_bytes,
                                                  Index num_instances,
                                                  std::size_t shared_limit);

/// Estimates the time of an evaluation on chip, in seconds: two launches, and
/// the larger of two times, which the multiprocessors take to read shared memory
/// for their slices, and the device memory to move instances and sums.
///
/// The rates are those of an H200 as its vendor states them. The estimate is a
/// prediction; nothing of it was measured.
[[nodiscard]] double predict_fused_seconds(const FusedPlan& plan,
                                           std::size_t number_bytes,
                                           Index num_instances);

/// Estimates the time of an evaluation layer by layer, with cuBLAS for the
/// products, in seconds. A prediction, too.
[[nodiscard]] double predict_layered_seconds(const Topology& topology,
                                             std::size_t number_bytes,
                                             Index num_instances);

}  // namespace mlp::cuda
