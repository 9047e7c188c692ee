// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// The memory layout of matrices in the CPU kernels.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_BASE_PANELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_BASE_PANELS_INL_HPP
#undef MLP_CPU_BASE_PANELS_INL_HPP
#else
#define MLP_CPU_BASE_PANELS_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The widest vector of this instruction set, at most one cache line.
template <typename T>
using Tag = hn::CappedTag<T, 64 / sizeof(T)>;

template <typename T>
constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());

/// Loads a vector that several multiply-adds share. Without the barrier, g++
/// reads it from memory again for each of them, and the loads limit the speed.
template <class D>
HWY_INLINE hn::Vec<D> load_shared(D d, const hn::TFromD<D>* from) {
  auto vector = hn::Load(d, from);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  asm volatile("" : "+v"(vector.raw));
#endif
  return vector;
}

/// Number of vectors of a panel.
constexpr std::size_t kPanelVectors = 3;

/// Number of rows of a panel.
template <typename T>
constexpr std::size_t kPanelRows = kPanelVectors* kLanes<T>;

/// Number of instances computed at once. The values of one layer for a tile
/// stay in the second level cache between the forward and the backward pass. It
/// is a multiple of the number of columns of every kernel.
constexpr std::size_t kTileSize = 72;

/// Consecutive panels, or columns.
struct Range {
  std::size_t begin;
  std::size_t end;

  [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// The layout of a matrix whose columns are instances: panels of kRows rows.
///
/// Each panel is stored contiguously, column after column. All products of a
/// layer then read and write their operands in runs, and none needs a
/// transpose.
///
/// Element (i, j) is at [(i / kRows) num_columns + j] kRows + i % kRows. Rows
/// that fill up the last vector are padding: zero in weights, ignored in
/// results.
///
template <typename T>
class Panels {
 public:
  static constexpr std::size_t kRows = kPanelRows<T>;

  explicit Panels(std::size_t rows = 0) : rows_(rows) {}

  [[nodiscard]] std::size_t rows() const { return rows_; }

  [[nodiscard]] std::size_t count() const {
    return (rows_ + kRows - 1) / kRows;
  }

  /// Returns the number of rows of panel p, without padding.
  [[nodiscard]] std::size_t rows_of(std::size_t p) const {
    return std::min(kRows, rows_ - p * kRows);
  }

  /// Returns the number of vectors that hold the rows of panel p.
  [[nodiscard]] std::size_t vectors_of(std::size_t p) const {
    return (rows_of(p) + kLanes<T> - 1) / kLanes<T>;
  }

  /// Returns the size of a matrix with num_columns columns, with padding.
  [[nodiscard]] std::size_t size(std::size_t num_columns) const {
    return count() * kRows * num_columns;
  }

  /// Returns the offset of panel p.
  [[nodiscard]] static std::size_t offset(std::size_t p,
                                          std::size_t num_columns) {
    return p * kRows * num_columns;
  }

 private:
  std::size_t rows_;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
