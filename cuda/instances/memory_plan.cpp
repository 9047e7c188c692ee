// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory_plan.hpp"

#include <algorithm>
#include <string>

#include "../../core/error.hpp"

namespace mlp::cuda {

namespace {

constexpr std::size_t kBlockShares = 8;
constexpr std::size_t kMaxBlockBytes = std::size_t{8} << 30;
constexpr Index kBlockUnit = 1024;

/// Of a block: twice as much memory of the host is pinned if features stay there.
constexpr std::size_t kMaxFeatureBytes = std::size_t{1} << 30;

std::size_t bytes_of(Index count, std::size_t bytes) {
  return static_cast<std::size_t>(count) * bytes;
}

/// The bytes of all features on the device.
std::size_t feature_bytes(const MemoryNeeds& needs, FeaturePlace place) {
  const std::size_t numbers =
      bytes_of(needs.num_instances, bytes_of(needs.num_features, 1));
  if (place == FeaturePlace::kHost) return 0;
  return place == FeaturePlace::kBytes ? numbers
                                       : numbers * needs.operand_bytes;
}

/// The bytes of an instance that is computed, with the copies of its features.
std::size_t block_bytes(const MemoryNeeds& needs, FeaturePlace place,
                        bool has_bytes) {
  const std::size_t operands =
      bytes_of(needs.num_features, needs.operand_bytes);
  const std::size_t stored =
      has_bytes ? bytes_of(needs.num_features, 1) : operands;
  switch (place) {
    case FeaturePlace::kOperands:
      return needs.pass_bytes + (needs.copies_features ? operands : 0);
    case FeaturePlace::kBytes:
      return needs.pass_bytes + operands;
    case FeaturePlace::kHost:
      break;
  }
  return needs.pass_bytes + 2 * stored + operands;
}

/// Returns the size of the blocks.
Index choose_block_size(const MemoryNeeds& needs, std::size_t budget_bytes) {
  const std::size_t share =
      std::min(budget_bytes / kBlockShares, kMaxBlockBytes);
  const std::size_t fitting_size =
      share / block_bytes(needs, FeaturePlace::kHost, false);
  const std::size_t features =
      bytes_of(needs.num_features, needs.operand_bytes);
  const auto fitting = static_cast<Index>(std::min(
      fitting_size, kMaxFeatureBytes / std::max<std::size_t>(features, 1)));
  Index size =
      std::clamp(fitting, needs.least_block_size,
                 std::max(needs.least_block_size, needs.most_block_size));
  if (size >= needs.num_instances) {
    return std::max(needs.least_block_size, needs.num_instances);
  }
  const Index unit = size >= kBlockUnit ? kBlockUnit : 1;
  size = size / unit * unit;
  const Index num_blocks = (needs.num_instances + size - 1) / size;
  const Index equal = (needs.num_instances + num_blocks - 1) / num_blocks;
  return std::max(needs.least_block_size, (equal + unit - 1) / unit * unit);
}

[[noreturn]] void refuse(const MemoryNeeds& needs, Index block_size,
                         std::size_t needed_bytes, const DeviceBytes& bytes) {
  const std::string available = std::to_string(bytes.available);
  // Blocks are smaller on a device with less memory.
  const std::string advice =
      block_size > needs.least_block_size && bytes.available < bytes.budget
          ? "limit the memory that mlp uses to " + available +
                " bytes, which makes smaller blocks"
          : "raise the limit";
  throw ResourceError(
      "the CUDA device has too little memory: the network and a block of " +
      std::to_string(block_size) + " instances need " +
      std::to_string(needed_bytes) + " bytes, " + available +
      " can be used; free the device, " + advice + ", or train on the CPU");
}

}  // namespace

MemoryPlan plan_memory(const MemoryNeeds& needs, const DeviceBytes& bytes) {
  const std::size_t always =
      needs.fixed_bytes + bytes_of(needs.num_instances, needs.instance_bytes);
  const Index size =
      choose_block_size(needs, bytes.budget - std::min(bytes.budget, always));
  const auto needed_bytes = [&](FeaturePlace place, bool has_bytes) {
    return always + feature_bytes(needs, place) +
           bytes_of(size, block_bytes(needs, place, has_bytes));
  };
  if (needed_bytes(FeaturePlace::kOperands, false) <= bytes.available) {
    return {FeaturePlace::kOperands, size};
  }
  const bool has_bytes = needs.has_bytes && needs.has_bytes();
  if (has_bytes &&
      needed_bytes(FeaturePlace::kBytes, true) <= bytes.available) {
    return {FeaturePlace::kBytes, size};
  }
  const std::size_t least = needed_bytes(FeaturePlace::kHost, has_bytes);
  if (least > bytes.available) refuse(needs, size, least, bytes);
  return {FeaturePlace::kHost, size};
}

}  // namespace mlp::cuda
