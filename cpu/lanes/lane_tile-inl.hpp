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
#include <memory>

#include "../../mlp/instances/feature_store.hpp"
#include "../../mlp/instances/instance_range.hpp"
#include "../../mlp/network/topology.hpp"
#include "../base/aligned_array.hpp"
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

/// The instances of a training in tiles, one after another in memory: the next tile
/// can be prefetched while one is computed. Of features in a file, each thread packs
/// one tile after another into the same memory.
template <typename T>
class LaneTiles final : public PackedFeatures {
 public:
  /// Copies and converts all instances; the copy replaces the features that a
  /// training owns.
  [[nodiscard]] static std::shared_ptr<const LaneTiles> pack(
      const InstanceRange& instances, const Topology& topology) {
    const auto size = static_cast<std::size_t>(instances.size);
    const bool has_weights =
        std::any_of(instances.weights, instances.weights + size,
                    [](double weight) { return weight != 1.0; });
    const auto tiles = std::make_shared<LaneTiles>(topology, size, has_weights);
    pack_slices(
        instances, static_cast<Index>(kSize),
        [&](const InstanceRange& all, Index first, Index count) {
          tiles->pack_at(all.slice(first, count, topology.num_features(),
                                   topology.num_classes()));
        });
    if (instances.may_replace_rows()) instances.store->replace_rows(tiles);
    return tiles;
  }

  /// Tiles with nothing in them.
  ///
  /// \param size         number of instances
  /// \param has_weights  false if all weights are 1: then they need no memory
  LaneTiles(const Topology& topology, std::size_t size, bool has_weights)
      : num_features_(static_cast<std::size_t>(topology.num_features())),
        size_(size),
        count_((size + kSize - 1) / kSize),
        has_weights_(has_weights),
        feature_bytes_((num_features_ + 1) * kSize * sizeof(T)),
        bytes_(feature_bytes_ + (has_weights ? 2 : 1) * kNumbersBytes),
        tiles_(bytes_ * count_, Fill::kNothing),
        ones_(has_weights ? 0 : 2 * kSize) {
    std::fill_n(ones_.data(), has_weights ? 0 : kSize, 1.0);
  }

  /// Replaces the instances of the first tile.
  ///
  /// \param         instances  at most a tile
  /// \param[in,out] buffer     for features that are not in memory as rows
  LaneTile<T> pack_first(InstanceRange instances, Matrix& buffer) {
    instances.features =
        instances
            .rows(0, instances.size, static_cast<Index>(num_features_), buffer)
            .data();
    instances.first = 0;
    size_ = static_cast<std::size_t>(instances.size);
    pack_at(instances);
    return at(0);
  }

  void read(Index first, Index count, double* features) const override {
    const auto end = static_cast<std::size_t>(first + count);
    for (auto j = static_cast<std::size_t>(first); j < end;) {
      const std::size_t in_tile = j % kSize;
      const std::size_t size = std::min(end - j, kSize - in_tile);
      take_columns(features_of(j / kSize), in_tile, size, features);
      features += size * num_features_;
      j += size;
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

  /// Copies and converts the instances of a tile. Padding repeats the last instance
  /// with weight 0, so that it adds no infinity or NaN that the data do not contain.
  void pack_at(const InstanceRange& instances) {
    const std::size_t t = static_cast<std::size_t>(instances.first) / kSize;
    const auto count = static_cast<std::size_t>(instances.size);
    const std::size_t size = padded_to_chains<T>(count);
    std::fill_n(tiles_.data() + t * bytes_, bytes_, std::byte{0});
    T* const features = features_of(t);
    put_into_lanes(instances.features, num_features_, count, size, features);
    std::fill_n(features + num_features_ * kSize, size, T{1});
    double* const labels = labels_of(t);
    for (std::size_t j = 0; j < size; ++j) {
      labels[j] = static_cast<double>(instances.labels[std::min(j, count - 1)]);
    }
    if (!has_weights_ && t + 1 < count_) return;
    double* const weights = weights_of(t);
    for (std::size_t j = 0; j < size; ++j) {
      weights[j] = j < count ? instances.weights[j] : 0.0;
    }
  }

  /// Copies the features of some instances of a tile.
  ///
  /// \param[out] rows  [num_features x count]
  void take_columns(const T* features, std::size_t first, std::size_t count,
                    double* rows) const {
    for (std::size_t j = first; j < first + count; ++j) {
      for (std::size_t i = 0; i < num_features_; ++i) {
        *rows++ = static_cast<double>(features[i * kSize + j]);
      }
    }
  }

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

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
