// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory_plan.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "../../core/error.hpp"

namespace mlp::cuda {

namespace {

constexpr std::size_t kBlockShares = 8;
constexpr std::size_t kMaxBlockBytes = std::size_t{2} << 30;
constexpr Index kBlockUnit = 1024;

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

/// Returns the size of the blocks, or nothing if the place does not fit.
std::optional<Index> fit_blocks(const MemoryNeeds& needs, FeaturePlace place,
                                bool has_bytes, std::size_t available_bytes) {
  const std::size_t per_instance = block_bytes(needs, place, has_bytes);
  const std::size_t share =
      std::min(available_bytes / kBlockShares, kMaxBlockBytes);
  const auto fitting = static_cast<Index>(share / per_instance);
  Index size = std::clamp(
      fitting, needs.least_block_size,
      std::max(needs.least_block_size,
               std::min(needs.num_instances, needs.most_block_size)));
  if (size < needs.num_instances && size >= kBlockUnit) {
    size = std::max(size / kBlockUnit * kBlockUnit, needs.least_block_size);
  }
  const std::size_t bytes =
      feature_bytes(needs, place) + bytes_of(size, per_instance);
  if (bytes > available_bytes) return std::nullopt;
  return size;
}

[[noreturn]] void refuse(const MemoryNeeds& needs, std::size_t needed_bytes,
                         std::size_t available_bytes) {
  throw ResourceError(
      "the CUDA device has too little memory: the network and a block of " +
      std::to_string(needs.least_block_size) + " instances need " +
      std::to_string(needed_bytes) + " bytes, " +
      std::to_string(available_bytes) +
      " can be used; free the device, raise the limit, or train on the CPU");
}

}  // namespace

MemoryPlan plan_memory(const MemoryNeeds& needs, std::size_t available_bytes) {
  const std::size_t always =
      needs.fixed_bytes + bytes_of(needs.num_instances, needs.instance_bytes);
  const std::size_t left = available_bytes - std::min(available_bytes, always);
  std::optional<Index> size =
      fit_blocks(needs, FeaturePlace::kOperands, false, left);
  if (size) return {FeaturePlace::kOperands, *size};
  const bool has_bytes = needs.has_bytes && needs.has_bytes();
  if (has_bytes) size = fit_blocks(needs, FeaturePlace::kBytes, true, left);
  if (size) return {FeaturePlace::kBytes, *size};
  size = fit_blocks(needs, FeaturePlace::kHost, has_bytes, left);
  if (size) return {FeaturePlace::kHost, *size};
  refuse(needs,
         always + bytes_of(needs.least_block_size,
                           block_bytes(needs, FeaturePlace::kHost, has_bytes)),
         available_bytes);
}

}  // namespace mlp::cuda
