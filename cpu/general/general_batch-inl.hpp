// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_GENERAL_GENERAL_BATCH_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_GENERAL_GENERAL_BATCH_INL_HPP
#undef MLP_CPU_GENERAL_GENERAL_BATCH_INL_HPP
#else
#define MLP_CPU_GENERAL_GENERAL_BATCH_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "../../mlp/instances/instance_range.hpp"
#include "../../mlp/network/topology.hpp"
#include "../base/aligned_array.hpp"
#include "general_product-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The values of all layers of a general network for some instances.
///
/// Every matrix is in wide panels with the same number of columns.
template <typename T>
struct GeneralBatch {
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

  GeneralBatch(const Topology& topology, std::size_t capacity)
      : columns(padded_columns(capacity)),
        features(
            GeneralPanels<T>(static_cast<std::size_t>(topology.num_features()))
                .size(columns)) {
    for (Index k = 0; k < topology.num_layers(); ++k) {
      const GeneralPanels<T> rows(
          static_cast<std::size_t>(topology.output_size(k)));
      const auto make = [&](bool is_needed) {
        return AlignedArray<T>(is_needed ? rows.size(columns) : 0);
      };
      const bool is_hidden = topology.is_hidden(k);
      const bool is_residual = topology.is_residual(k);
      const bool drops = is_hidden && topology.hidden(k).dropout > 0.0;
      const bool is_normalised = topology.has_batch_norm(k);
      layers.push_back(
          {make(true),
           make(is_hidden && topology.hidden(k).activation.needs_input()),
           make(is_residual || drops), make(is_normalised), make(drops),
           make(true), make(is_residual),
           AlignedArray<T>(is_normalised ? rows.size(1) : 0)});
    }
  }

  /// Returns the input of layer k.
  [[nodiscard]] const T* input_of(std::size_t k) const {
    return k == 0 ? features.data() : layers[k - 1].output.data();
  }

  std::size_t columns;   ///< the first size columns are used
  std::size_t size = 0;  ///< number of instances

  /// Positions in the mini-batch of all ranks   [size], or empty.
  std::span<const Index> places;

  AlignedArray<T> features;
  std::vector<Layer> layers;
};

/// Copies and converts the features of some instances to panels.
///
/// \param      rows_at   returns a pointer to the features of instance j
///                       [num_features], for j = first .. end - 1
/// \param[out] panels    with num_columns columns
template <typename T, class RowsAt>
void gather_features(const RowsAt& rows_at, const GeneralPanels<T>& rows,
                     std::size_t first, std::size_t end,
                     std::size_t num_columns, T* panels) {
  // Several instances at a time, so that a panel is written in runs.
  constexpr std::size_t kTogether = 8;
  for (std::size_t j = first; j < end; j += kTogether) {
    const std::size_t last = std::min(j + kTogether, end);
    for (std::size_t p = 0; p < rows.count(); ++p) {
      const std::size_t count = rows.rows_of(p);
      T* to = panels + GeneralPanels<T>::offset(p, num_columns);
      for (std::size_t i = j; i < last; ++i) {
        const auto* from = rows_at(i) + p * kGeneralRows<T>;
        T* column = to + i * kGeneralRows<T>;
        if (count == kGeneralRows<T>) {
          for (std::size_t r = 0; r < kGeneralRows<T>; ++r) {
            column[r] = static_cast<T>(from[r]);
          }
        } else {
          for (std::size_t r = 0; r < count; ++r) {
            column[r] = static_cast<T>(from[r]);
          }
        }
      }
    }
  }
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
