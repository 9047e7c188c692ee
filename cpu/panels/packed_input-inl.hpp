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
#include <memory>
#include <vector>

#include "../../mlp/instances/feature_store.hpp"
#include "../../mlp/instances/instance_range.hpp"
#include "../base/aligned_array.hpp"
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

/// Copies the features of some columns of a tile back to instances that lie one
/// after another.
///
/// \param[out] features  [rows.rows() x columns]
template <typename T>
void unpack_columns(const T* panels, const Panels<T>& rows,
                    const Range& columns, double* features) {
  for (std::size_t p = 0; p < rows.count(); ++p) {
    const T* const from = panels + Panels<T>::offset(p, kTileSize);
    double* to = features + p * kPanelRows<T>;
    for (std::size_t j = columns.begin; j < columns.end; ++j) {
      std::copy_n(from + j * kPanelRows<T>, rows.rows_of(p), to);
      to += rows.rows();
    }
  }
}

/// All features of a training, packed once: an evaluation reads them in the order of
/// its arithmetic.
template <typename T>
class PackedInputs final : public PackedFeatures {
 public:
  /// Packs all instances; the copy replaces the features that a training owns.
  ///
  /// \param finds_nonzeros  true to list the nonzero features as well
  /// \return null if they should not be copied: InstanceRange::may_be_copied()
  [[nodiscard]] static std::shared_ptr<const PackedInputs> pack(
      const InstanceRange& instances, const Panels<T>& rows,
      bool finds_nonzeros) {
    const std::size_t tile = rows.size(kTileSize);
    const auto size = static_cast<std::size_t>(instances.size);
    const std::size_t num_tiles = (size + kTileSize - 1) / kTileSize;
    if (!instances.may_be_copied(static_cast<double>(num_tiles) *
                                 static_cast<double>(tile * sizeof(T)))) {
      return {};
    }
    const auto packed = std::make_shared<PackedInputs>(rows, num_tiles);
    pack_slices(instances, static_cast<Index>(kTileSize),
                [&](const InstanceRange& all, Index first, Index count) {
                  packed->pack_at(first, count, all.features, finds_nonzeros);
                });
    if (instances.may_replace_rows()) instances.store->replace_rows(packed);
    return packed;
  }

  /// Tiles whose features are unspecified.
  PackedInputs(const Panels<T>& rows, std::size_t num_tiles)
      : rows_(rows),
        tile_(rows.size(kTileSize)),
        panels_(tile_ * num_tiles, Fill::kNothing),
        inputs_(num_tiles) {}

  /// \param first  first instance of a tile
  [[nodiscard]] const PackedInput<T>& at(Index first) const {
    return inputs_[static_cast<std::size_t>(first) / kTileSize];
  }

  void read(Index first, Index count, double* features) const override {
    const auto end = static_cast<std::size_t>(first + count);
    for (auto j = static_cast<std::size_t>(first); j < end;) {
      const std::size_t in_tile = j % kTileSize;
      const std::size_t size = std::min(end - j, kTileSize - in_tile);
      unpack_columns(panels_.data() + j / kTileSize * tile_, rows_,
                     {in_tile, in_tile + size}, features);
      features += size * rows_.rows();
      j += size;
    }
  }

 private:
  void pack_at(Index first, Index count, const double* features,
               bool finds_nonzeros) {
    const std::size_t t = static_cast<std::size_t>(first) / kTileSize;
    T* const to = panels_.data() + t * tile_;
    PackedInput<T>& input = inputs_[t];
    input.size = static_cast<std::size_t>(count);
    input.panels = to;
    input.next = t + 1 < inputs_.size() ? to + tile_ : nullptr;
    std::fill_n(to, tile_, T{0});  // the padding
    pack_tile(features + static_cast<std::size_t>(first) * rows_.rows(), rows_,
              input.size, to);
    if (finds_nonzeros) input.nonzeros.find(to, rows_, input.size, kTileSize);
  }

  Panels<T> rows_;
  std::size_t tile_;  // numbers of a tile
  AlignedArray<T> panels_;
  std::vector<PackedInput<T>> inputs_;
};

/// Memory for the features of one tile that is not packed.
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

  /// Packs instances whose features may be in a file.
  const PackedInput<T>& pack(const InstanceRange& instances,
                             bool finds_nonzeros) {
    return pack(instances
                    .rows(0, instances.size, static_cast<Index>(rows_.rows()),
                          features_)
                    .data(),
                instances.size, finds_nonzeros);
  }

 private:
  Panels<T> rows_;
  AlignedArray<T> panels_;
  Matrix features_;  // read from a file
  PackedInput<T> input_;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
