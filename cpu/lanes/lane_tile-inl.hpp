// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_LANES_LANE_TILE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_LANES_LANE_TILE_INL_HPP
#undef MLP_CPU_LANES_LANE_TILE_INL_HPP
#else
#define MLP_CPU_LANES_LANE_TILE_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../mlp/backend/backend.hpp"
#include "../../mlp/network/topology.hpp"
#include "../base/aligned_array.hpp"
#include "lane_product-inl.hpp"
#include "lane_transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// A tile of instances in which a vector holds one unit of several instances.
template <typename T>
class LaneTile {
 public:
  explicit LaneTile(const Topology& topology)
      : num_features_(static_cast<std::size_t>(topology.num_features())),
        features_((num_features_ + 1) * kLaneTile<T>),
        labels_(kLaneTile<T>),
        weights_(kLaneTile<T>) {}

  /// Copies and converts instances. Padding repeats the last instance with
  /// weight 0, so that it adds no infinity or NaN that the data do not contain.
  void pack(const InstanceRange& instances) {
    const auto count = static_cast<std::size_t>(instances.size);
    size_ = padded_to_chains<T>(count);
    put_into_lanes(instances.features, num_features_, count, size_,
                   features_.data());
    std::fill_n(features_.data() + num_features_ * kLaneTile<T>, size_, T{1});
    // A forward pass has no labels and weights.
    if (!instances.labels || !instances.weights) return;
    for (std::size_t j = 0; j < size_; ++j) {
      const std::size_t from = std::min(j, count - 1);
      labels_.data()[j] = static_cast<double>(instances.labels[from]);
      weights_.data()[j] = j < count ? instances.weights[j] : 0.0;
    }
  }

  /// Returns the number of instances, rounded up to a multiple of kChains.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Returns [num_features + 1 x kLaneTile]. The last row is ones, the input of
  /// the biases.
  [[nodiscard]] const T* features() const { return features_.data(); }
  [[nodiscard]] const double* labels() const { return labels_.data(); }

  /// Returns the weights of the instances, 0 for padding.
  [[nodiscard]] const double* weights() const { return weights_.data(); }

 private:
  std::size_t num_features_;
  std::size_t size_ = 0;
  AlignedArray<T> features_;
  AlignedArray<double> labels_;
  AlignedArray<double> weights_;
};

/// Copies all instances of a training to tiles.
template <typename T>
std::vector<LaneTile<T>> make_lane_tiles(const Topology& topology,
                                         const InstanceRange& instances) {
  constexpr auto kSize = static_cast<Index>(kLaneTile<T>);
  std::vector<LaneTile<T>> tiles;
  for (Index first = 0; first < instances.size; first += kSize) {
    tiles.emplace_back(topology).pack(
        instances.slice(first, std::min(kSize, instances.size - first),
                        topology.num_features(), topology.num_classes()));
  }
  return tiles;
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
