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

#include "../../core/memory/page_release.hpp"
#include "../../mlp/backend/backend.hpp"
#include "../../mlp/network/topology.hpp"
#include "../base/aligned_array.hpp"
#include "../base/feature_loan.hpp"
#include "../base/prefetch-inl.hpp"
#include "lane_product-inl.hpp"
#include "lane_transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// A tile of instances in which a vector holds one unit of several instances.
template <typename T>
struct LaneTile {
  std::size_t size;       ///< instances, rounded up to a multiple of kChains
  const T* features;      ///< [num_features + 1 x kLaneTile]; the last row is
                          ///< ones, the input of the biases
  const double* labels;   ///< [kLaneTile]
  const double* weights;  ///< [kLaneTile], 0 for padding
};

/// Copies of instances in tiles, one after another in memory: the next tile can
/// be prefetched while one is computed.
template <typename T>
class LaneTiles {
 public:
  /// No tiles.
  LaneTiles() = default;

  /// Tiles that pack() fills.
  ///
  /// \param size         number of instances
  /// \param has_weights  false if all weights are 1: then they need no memory
  /// \param fill         what the tiles contain before
  LaneTiles(const Topology& topology, std::size_t size, bool has_weights,
            Fill fill = Fill::kZeros)
      : num_features_(static_cast<std::size_t>(topology.num_features())),
        size_(size),
        count_((size + kSize - 1) / kSize),
        has_weights_(has_weights),
        feature_bytes_((num_features_ + 1) * kSize * sizeof(T)),
        bytes_(feature_bytes_ + (has_weights ? 2 : 1) * kNumbersBytes),
        tiles_(bytes_ * count_, fill),
        ones_(has_weights ? 0 : 2 * kSize) {
    std::fill_n(ones_.data(), has_weights ? 0 : kSize, 1.0);
  }

  [[nodiscard]] bool empty() const { return count_ == 0; }

  /// Copies and converts instances. Padding repeats the last instance with
  /// weight 0, so that it adds no infinity or NaN that the data do not contain.
  ///
  /// \param t          tile
  /// \param instances  at most kLaneTile; a tile in front of another one is full
  void pack(std::size_t t, const InstanceRange& instances) {
    const auto count = static_cast<std::size_t>(instances.size);
    const std::size_t size = padded_to_chains<T>(count);
    if (t + 1 == count_) size_ = t * kSize + count;
    T* features = features_of(t);
    put_into_lanes(instances.features, num_features_, count, size, features);
    std::fill_n(features + num_features_ * kSize, size, T{1});
    // A forward pass has no labels and weights.
    if (!instances.labels || !instances.weights) return;
    double* labels = labels_of(t);
    for (std::size_t j = 0; j < size; ++j) {
      labels[j] = static_cast<double>(instances.labels[std::min(j, count - 1)]);
    }
    if (!has_weights_ && t + 1 < count_) return;
    double* weights = weights_of(t);
    for (std::size_t j = 0; j < size; ++j) {
      weights[j] = j < count ? instances.weights[j] : 0.0;
    }
  }

  /// Copies and converts all instances, and releases those that are lent.
  void pack_all(const InstanceRange& instances, const Topology& topology,
                FeatureLoan& loan) {
    for (std::size_t t = 0; t < count_; ++t) {
      std::fill_n(tiles_.data() + t * bytes_, bytes_, std::byte{0});
      const auto first = static_cast<Index>(t * kSize);
      const Index count =
          std::min(static_cast<Index>(kSize), instances.size - first);
      pack(t, instances.slice(first, count, topology.num_features(),
                              topology.num_classes()));
      loan.release_first<T>(t * kSize + static_cast<std::size_t>(count));
    }
  }

  /// Writes the features that are lent again, and empties these tiles meanwhile:
  /// both do not need memory at the same time. The tiles are then lost.
  void give_back(const FeatureLoan& loan) {
    PageRelease copy(tiles_.data());
    const std::size_t count = loan.num_released();
    for (std::size_t first = 0; first < count; first += kSize) {
      const std::size_t t = first / kSize;
      take_from_lanes(features_of(t), num_features_,
                      std::min(kSize, size_ - first), loan.features(first));
      copy.release_first((t + 1) * bytes_);
    }
  }

  [[nodiscard]] LaneTile<T> at(std::size_t t) const {
    const std::size_t size = std::min(kSize, size_ - t * kSize);
    return {padded_to_chains<T>(size), features_of(t), labels_of(t),
            weights_of(t)};
  }

  /// Returns the memory of the tile behind t; none behind the last one.
  [[nodiscard]] Ahead behind(std::size_t t) const {
    if (t + 1 >= count_) return {};
    return {tiles_.data() + (t + 1) * bytes_, bytes_};
  }

 private:
  static constexpr std::size_t kSize = kLaneTile<T>;
  static constexpr std::size_t kNumbersBytes = kSize * sizeof(double);

  [[nodiscard]] T* features_of(std::size_t t) const {
    return reinterpret_cast<T*>(tiles_.data() + t * bytes_);
  }
  [[nodiscard]] double* labels_of(std::size_t t) const {
    return reinterpret_cast<double*>(tiles_.data() + t * bytes_ +
                                     feature_bytes_);
  }
  [[nodiscard]] double* weights_of(std::size_t t) const {
    if (has_weights_) return labels_of(t) + kSize;
    return ones_.data() + (t + 1 == count_ ? kSize : 0);
  }

  std::size_t num_features_ = 0;
  std::size_t size_ = 0;
  std::size_t count_ = 0;
  bool has_weights_ = false;
  std::size_t feature_bytes_ = 0;
  std::size_t bytes_ = 0;          ///< of a tile
  AlignedArray<std::byte> tiles_;  ///< features, labels, weights of each tile
  AlignedArray<double> ones_;      ///< of full tiles, then those of the last
};

/// Makes the tiles of all instances of a training; nothing is in them.
template <typename T>
LaneTiles<T> make_lane_tiles(const Topology& topology,
                             const InstanceRange& instances) {
  const auto size = static_cast<std::size_t>(instances.size);
  const bool has_weights =
      instances.weights &&
      std::any_of(instances.weights, instances.weights + size,
                  [](double weight) { return weight != 1.0; });
  return LaneTiles<T>(topology, size, has_weights, Fill::kNothing);
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
