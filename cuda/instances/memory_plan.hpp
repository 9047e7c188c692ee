// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Decides where features are stored and how many instances the device computes
/// at once.

#include <cstddef>
#include <functional>

#include "../../core/index.hpp"

namespace mlp::cuda {

/// Device memory needed by one evaluation.
struct MemoryNeeds {
  Index num_instances = 0;
  Index num_features = 0;
  std::size_t operand_bytes = 0;  ///< of a feature that is a factor of products

  /// Returns true if every feature is a whole number 0..255 times a scale. Called
  /// only if the features do not fit as factors of products; may be empty.
  std::function<bool()> has_bytes;

  /// Of the labels, targets and weights of an instance.
  std::size_t instance_bytes = 0;

  std::size_t pass_bytes = 0;  ///< of an instance that is computed
  std::size_t fixed_bytes =
      0;  ///< of weights, gradients and vectors of a solver

  /// \name The instances that are computed at once: at least and at most. The
  /// least also holds if there are fewer instances, as in a mini-batch.
  /// @{
  Index least_block_size = 32;
  Index most_block_size = 1024 * 1024;
  /// @}

  /// True if features are copied before they are factors, as in mini-batches.
  bool copies_features = false;
};

/// Where the features are.
enum class FeaturePlace {
  kOperands,  ///< on the device, as factors of products
  kBytes,     ///< on the device, as bytes that are converted in each evaluation
  kHost       ///< on the host, copied in each evaluation
};

struct MemoryPlan {
  FeaturePlace place = FeaturePlace::kOperands;
  Index block_size = 0;  ///< instances that are computed at once
};

/// The memory of a device.
struct DeviceBytes {
  std::size_t budget = 0;     ///< all of it, or the limit
  std::size_t available = 0;  ///< that can be allocated now; at most the budget
};

/// Chooses the first place that fits: factors of products, which need no work in
/// an evaluation, then bytes, then the host.
///
/// A block may use an eighth of the budget that fixed needs leave, but at most
/// 8 GiB, and 1 GiB for its features. Its size does not depend on the place or on the
/// memory that others use, so that the order of sums does not. Blocks are equal but for the last, and have a
/// multiple of 1024 instances, unless one holds all or no 1024 fit.
///
/// \throws ResourceError naming the bytes that are missing if a block does not fit
[[nodiscard]] MemoryPlan plan_memory(const MemoryNeeds& needs,
                                     const DeviceBytes& bytes);

}  // namespace mlp::cuda
