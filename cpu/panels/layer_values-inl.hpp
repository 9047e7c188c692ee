// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_PANELS_LAYER_VALUES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PANELS_LAYER_VALUES_INL_HPP
#undef MLP_CPU_PANELS_LAYER_VALUES_INL_HPP
#else
#define MLP_CPU_PANELS_LAYER_VALUES_INL_HPP
#endif

#include <cstddef>
#include <span>
#include <vector>

#include "../../mlp/network/topology.hpp"
#include "../base/aligned_array.hpp"
#include "../base/panels-inl.hpp"
#include "../base/prefetch-inl.hpp"
#include "packed_input-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// The passes for which memory is allocated.
enum class Passes { kForward, kForwardAndBackward };

/// The values of all layers for some instances: a tile, or a mini-batch.
///
/// Every matrix is in panels with the same number of columns.
template <typename T>
struct LayerValues {
  /// The values of one layer [outputs x columns] each. Arrays that the layer
  /// does not need are empty.
  struct Layer {
    AlignedArray<T> output;             ///< y; for the last layer z
    AlignedArray<T> z;                  ///< if the derivative needs it
    AlignedArray<T> activated;          ///< f(z) if it is not the output
    AlignedArray<T> normalised;         ///< (z - mean) / deviation
    AlignedArray<T> mask;               ///< factors of dropout
    AlignedArray<T> delta;              ///< d loss / d (W x + b)
    AlignedArray<T> output_delta;       ///< d loss / d y of a residual layer
    AlignedArray<T> inverse_deviation;  ///< 1 / deviation   [outputs]
  };

  /// \param num_columns  the most instances
  LayerValues(const Topology& topology, std::size_t num_columns, Passes passes)
      : columns(num_columns) {
    const bool has_backward = passes == Passes::kForwardAndBackward;
    for (Index k = 0; k < topology.num_layers(); ++k) {
      const Panels<T> rows(static_cast<std::size_t>(topology.output_size(k)));
      const auto make = [&](bool is_needed) {
        return is_needed ? AlignedArray<T>(rows.size(columns))
                         : AlignedArray<T>();
      };
      const bool is_residual = topology.is_residual(k);
      const bool is_hidden = topology.is_hidden(k);
      const bool drops = is_hidden && topology.hidden(k).dropout > 0.0;
      const bool is_normalised = has_backward && topology.has_batch_norm(k);
      const bool needs_z =
          is_hidden && topology.hidden(k).activation.needs_input();
      layers.push_back({make(true), make(has_backward && needs_z),
                        make(has_backward && (is_residual || drops)),
                        make(is_normalised), make(has_backward && drops),
                        make(has_backward), make(has_backward && is_residual),
                        AlignedArray<T>(is_normalised ? rows.size(1) : 0)});
    }
  }

  /// Returns the number of instances.
  [[nodiscard]] std::size_t size() const { return input->size; }

  /// Returns the input of layer k.
  [[nodiscard]] const T* input_of(std::size_t k) const {
    return k == 0 ? input->panels : layers[k - 1].output.data();
  }

  /// Returns panel p of one of the matrices.
  [[nodiscard]] T* panel(const AlignedArray<T>& matrix, std::size_t p) const {
    return matrix.data() + Panels<T>::offset(p, columns);
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
        const T* column = panel(layers[k].output, p) + j * kPanelRows<T>;
        for (std::size_t i = 0; i < rows.rows_of(p); ++i) {
          *to++ = static_cast<Number>(column[i]);
        }
      }
    }
    return to;
  }

  std::size_t columns;  ///< the first size() columns are used
  const PackedInput<T>* input = nullptr;
  Ahead ahead;  ///< prefetched while the first layer is computed

  /// Positions in the mini-batch of all ranks   [size], or empty.
  std::span<const Index> places;

  std::vector<Layer> layers;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
