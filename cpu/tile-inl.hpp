// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Compiled once per instruction set: the guard toggles instead of staying.
#if defined(MLP_CPU_TILE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_TILE_INL_HPP
#undef MLP_CPU_TILE_INL_HPP
#else
#define MLP_CPU_TILE_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../mlp/topology.hpp"
#include "aligned_array.hpp"
#include "nonzeros-inl.hpp"
#include "panels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Some instances on their way through the network, every matrix in panels.
template <typename T>
struct Tile {
  explicit Tile(const Topology& topology)
      : input(Panels<T>(width(topology, 0)).size(kTileSize)) {
    for (Index k = 0; k < topology.num_layers(); ++k) {
      const Panels<T> rows(width(topology, k + 1));
      outputs.emplace_back(rows.size(kTileSize));
      deltas.emplace_back(rows.size(kTileSize));
    }
  }

  /// What layer k receives.
  [[nodiscard]] const T* input_of(std::size_t k) const {
    return k == 0 ? input.data() : outputs[k - 1].data();
  }

  /// Copies the features in, converted.
  ///
  /// \param features       [num_features x count]
  /// \param finds_nonzeros  whether to list what is not zero, too
  void pack(const double* features, const Panels<T>& rows, std::size_t count,
            bool finds_nonzeros) {
    size = count;
    for (std::size_t j = 0; j < count; j += kPackedTogether) {
      const std::size_t together = std::min(kPackedTogether, count - j);
      for (std::size_t p = 0; p < rows.count(); ++p) {
        const double* from = features + j * rows.rows() + p * kPanelRows<T>;
        T* to =
            input.data() + Panels<T>::offset(p, kTileSize) + j * kPanelRows<T>;
        for (std::size_t i = 0; i < together; ++i) {
          copy(from, rows.rows_of(p), to);
          from += rows.rows();
          to += kPanelRows<T>;
        }
      }
    }
    if (finds_nonzeros) nonzeros.find(input.data(), rows, count, kTileSize);
  }

  std::size_t size = 0;                  ///< instances
  AlignedArray<T> input;                 ///< features
  std::vector<AlignedArray<T>> outputs;  ///< of each layer
  std::vector<AlignedArray<T>> deltas;   ///< d loss / d z of each layer
  Nonzeros<T> nonzeros;                  ///< of the input, where it is sparse

 private:
  /// Instances copied side by side, so that a panel is written in runs.
  static constexpr std::size_t kPackedTogether = 8;

  static std::size_t width(const Topology& topology, Index layer) {
    return static_cast<std::size_t>(
        topology.layers()[static_cast<std::size_t>(layer)]);
  }

  static void copy(const double* from, std::size_t count, T* to) {
    if (count < kPanelRows<T>) {
      for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(from[i]);
      return;
    }
    const Tag<double> d;
    for (std::size_t i = 0; i < kPanelRows<T>; i += kLanes<double>) {
      const auto x = hn::LoadU(d, from + i);
      if constexpr (sizeof(T) == sizeof(double)) {
        hn::Store(x, d, to + i);
      } else {
        const hn::Rebind<float, Tag<double>> half;
        hn::Store(hn::DemoteTo(half, x), half, to + i);
      }
    }
  }
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
