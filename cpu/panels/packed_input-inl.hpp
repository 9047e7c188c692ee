// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_PANELS_PACKED_INPUT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PANELS_PACKED_INPUT_INL_HPP
#undef MLP_CPU_PANELS_PACKED_INPUT_INL_HPP
#else
#define MLP_CPU_PANELS_PACKED_INPUT_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../core/memory/page_release.hpp"
#include "../../mlp/backend/backend.hpp"
#include "../base/aligned_array.hpp"
#include "../base/feature_loan.hpp"
#include "../base/nonzeros-inl.hpp"
#include "../base/panels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The features of some instances, in panels.
template <typename T>
struct PackedInput {
  std::size_t size = 0;       ///< number of instances
  const T* panels = nullptr;  ///< kTileSize columns, or those of a mini-batch
  const T* next = nullptr;    ///< panels of the next tile; null for none
  const T* rows = nullptr;    ///< the user's rows, which are used instead
  Nonzeros<T> nonzeros;       ///< only if the data are sparse
};

/// Copies and converts features of one instance to a column of a panel.
template <typename Number, typename T>
HWY_INLINE void pack_column(const Number* from, std::size_t size, T* to) {
  if (size < kPanelRows<T>) {
    for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<T>(from[i]);
    return;
  }
  // A step has as many numbers as a vector of the wider type.
  const hn::Rebind<Number, Tag<double>> from_d;
  const hn::Rebind<T, Tag<double>> d;
  for (std::size_t i = 0; i < kPanelRows<T>; i += kLanes<double>) {
    const auto x = hn::LoadU(from_d, from + i);
    if constexpr (sizeof(T) == sizeof(Number)) {
      hn::Store(x, d, to + i);
    } else if constexpr (sizeof(T) < sizeof(Number)) {
      hn::Store(hn::DemoteTo(d, x), d, to + i);
    } else {
      hn::Store(hn::PromoteTo(d, x), d, to + i);
    }
  }
}

/// Copies and converts the features of some instances to panels.
///
/// \param      features_of  returns the features of instance j [rows.rows()]
/// \param      columns      the instances
/// \param[out] panels       with num_columns columns
template <typename T, class FeaturesOf>
void pack_features(const FeaturesOf& features_of, const Panels<T>& rows,
                   const Range& columns, std::size_t num_columns, T* panels) {
  // Several instances at a time, so that a panel is written in runs.
  constexpr std::size_t kTogether = 8;
  for (std::size_t j = columns.begin; j < columns.end; j += kTogether) {
    const std::size_t end = std::min(j + kTogether, columns.end);
    for (std::size_t p = 0; p < rows.count(); ++p) {
      T* to = panels + Panels<T>::offset(p, num_columns);
      for (std::size_t i = j; i < end; ++i) {
        pack_column(features_of(i) + p * kPanelRows<T>, rows.rows_of(p),
                    to + i * kPanelRows<T>);
      }
    }
  }
}

/// Packs instances that lie one after another as a tile.
///
/// \param features  [rows.rows() x count]
template <typename Number, typename T>
void pack_tile(const Number* features, const Panels<T>& rows, std::size_t count,
               T* panels) {
  pack_features([&](std::size_t j) { return features + j * rows.rows(); }, rows,
                {0, count}, kTileSize, panels);
}

/// Copies the features of a tile back to instances that lie one after another.
///
/// \param[out] features  [rows.rows() x count]
template <typename T>
void unpack_tile(const T* panels, const Panels<T>& rows, std::size_t count,
                 double* features) {
  for (std::size_t p = 0; p < rows.count(); ++p) {
    const T* from = panels + Panels<T>::offset(p, kTileSize);
    double* to = features + p * kPanelRows<T>;
    for (std::size_t j = 0; j < count; ++j) {
      std::copy_n(from + j * kPanelRows<T>, rows.rows_of(p),
                  to + j * rows.rows());
    }
  }
}

/// All features of a training, packed once.
///
/// An evaluation then reads them in the order of its arithmetic. The copy needs
/// as much memory as the features; if these are lent, it replaces them. Above
/// kMaxBytes nothing is packed.
template <typename T>
class PackedInputs {
 public:
  PackedInputs() = default;
  PackedInputs(const PackedInputs&) = delete;
  PackedInputs& operator=(const PackedInputs&) = delete;
  ~PackedInputs() { give_back(); }

  /// \param instances       all instances
  /// \param finds_nonzeros  true to list the nonzero features as well
  void pack(const InstanceRange& instances, const Panels<T>& rows,
            bool finds_nonzeros) {
    give_back();
    rows_ = rows;
    const std::size_t tile = rows.size(kTileSize);
    const auto size = static_cast<std::size_t>(instances.size);
    const std::size_t num_tiles = (size + kTileSize - 1) / kTileSize;
    if (num_tiles > kMaxBytes / (tile * sizeof(T))) return;
    panels_ = AlignedArray<T>(tile * num_tiles, Fill::kNothing);
    inputs_.resize(num_tiles);
    loan_ = FeatureLoan(instances, rows.rows());
    for (std::size_t t = 0; t < num_tiles; ++t) {
      const std::size_t first = t * kTileSize;
      T* to = panels_.data() + t * tile;
      PackedInput<T>& input = inputs_[t];
      input.size = std::min(kTileSize, size - first);
      input.panels = to;
      input.next = t + 1 < num_tiles ? to + tile : nullptr;
      std::fill_n(to, tile, T{0});  // the padding
      pack_tile(instances.features + first * rows.rows(), rows, input.size, to);
      if (finds_nonzeros) input.nonzeros.find(to, rows, input.size, kTileSize);
      loan_.template release_first<T>(first + input.size);
    }
  }

  /// Returns true if pack() was not called, or exceeded kMaxBytes.
  [[nodiscard]] bool empty() const { return inputs_.empty(); }

  /// \param first  first instance of a tile
  [[nodiscard]] const PackedInput<T>& at(Index first) const {
    return inputs_[static_cast<std::size_t>(first) / kTileSize];
  }

 private:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 32;

  /// Writes the lent features again, and empties the copy meanwhile: both do not
  /// need memory at the same time.
  void give_back() {
    PageRelease copy(panels_.data());
    const std::size_t count = loan_.num_released();
    for (std::size_t first = 0; first < count; first += kTileSize) {
      const PackedInput<T>& input = inputs_[first / kTileSize];
      unpack_tile(input.panels, rows_, input.size, loan_.features(first));
      const T* const end = input.panels + rows_.size(kTileSize);
      copy.release_first(static_cast<std::size_t>(end - panels_.data()) *
                         sizeof(T));
    }
    loan_ = {};
    inputs_.clear();
  }

  Panels<T> rows_;
  AlignedArray<T> panels_;
  std::vector<PackedInput<T>> inputs_;
  FeatureLoan loan_;
};

/// Memory for the features of one tile that is not in PackedInputs.
template <typename T>
class InputBuffer {
 public:
  explicit InputBuffer(const Panels<T>& rows)
      : rows_(rows), panels_(rows.size(kTileSize)) {
    input_.panels = panels_.data();
  }

  /// \param features  [num_features x size]
  template <typename Number>
  const PackedInput<T>& pack(const Number* features, Index size,
                             bool finds_nonzeros) {
    input_.size = static_cast<std::size_t>(size);
    pack_tile(features, rows_, input_.size, panels_.data());
    if (finds_nonzeros) {
      input_.nonzeros.find(panels_.data(), rows_, input_.size, kTileSize);
    }
    return input_;
  }

 private:
  Panels<T> rows_;
  AlignedArray<T> panels_;
  PackedInput<T> input_;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
