// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_TILES_TILE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_TILES_TILE_INL_HPP
#undef MLP_CPU_TILES_TILE_INL_HPP
#else
#define MLP_CPU_TILES_TILE_INL_HPP
#endif

#include <cstddef>
#include <vector>

#include "../../mlp/network/topology.hpp"
#include "../base/aligned_array.hpp"
#include "../base/panels-inl.hpp"
#include "packed_input-inl.hpp"
#include "packed_layer-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// The values of all layers for a tile of instances, in panels.
template <typename T>
struct Tile {
  Tile(const Topology& topology, Passes passes) {
    for (Index k = 0; k < topology.num_layers(); ++k) {
      const Panels<T> rows(static_cast<std::size_t>(topology.output_size(k)));
      outputs.emplace_back(rows.size(kTileSize));
      if (passes == Passes::kForwardAndBackward) {
        deltas.emplace_back(rows.size(kTileSize));
      }
    }
  }

  /// Returns the number of instances.
  [[nodiscard]] std::size_t size() const { return input->size; }

  /// Returns the input of layer k.
  [[nodiscard]] const T* input_of(std::size_t k) const {
    return k == 0 ? input->panels : outputs[k - 1].data();
  }

  /// Copies and converts the outputs of layer k.
  ///
  /// \param      rows  the rows of the layer
  /// \param[out] to    [rows x size]
  /// \return the end of the numbers written
  template <typename Number>
  Number* unpack(std::size_t k, const Panels<T>& rows, Number* to) const {
    for (std::size_t j = 0; j < size(); ++j) {
      for (std::size_t p = 0; p < rows.count(); ++p) {
        const T* column = outputs[k].data() + Panels<T>::offset(p, kTileSize) +
                          j * kPanelRows<T>;
        for (std::size_t i = 0; i < rows.rows_of(p); ++i) {
          *to++ = static_cast<Number>(column[i]);
        }
      }
    }
    return to;
  }

  const PackedInput<T>* input = nullptr;
  Ahead ahead;  ///< prefetched while the first layer is computed
  std::vector<AlignedArray<T>> outputs;  ///< of each layer
  std::vector<AlignedArray<T>> deltas;   ///< d loss / d z of each layer
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
