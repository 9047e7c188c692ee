// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Multiplies matrices in wide panels, for general networks.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_GENERAL_GENERAL_PRODUCT_INL_HPP) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_GENERAL_GENERAL_PRODUCT_INL_HPP
#undef MLP_CPU_GENERAL_GENERAL_PRODUCT_INL_HPP
#else
#define MLP_CPU_GENERAL_GENERAL_PRODUCT_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "../base/panels-inl.hpp"
#include "../base/product-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Panels of four vectors. They need as many loads per multiply-add as panels
/// of three, and layers of 32, 64, 128, .. units fill them.
template <typename T>
using GeneralPanels = Panels<T, 4>;

template <typename T>
constexpr std::size_t kGeneralRows = GeneralPanels<T>::kRows;

/// Returns the number of columns to allocate. It is odd, so that the same
/// columns of several panels do not compete for one set of the cache.
constexpr std::size_t padded_columns(std::size_t num_columns) {
  return num_columns | 1;
}

/// A product c(:, j) = start + sum over k of a(:, k) b(j, k) for one panel.
///
/// The sum is over the units of a layer (product-inl.hpp).
template <typename T>
struct UnitProduct {
  std::size_t depth;         ///< number of terms of a sum
  const T* a;                ///< packed, aligned; columns are whole vectors
  const T* b;                ///< in wide panels, at the first column
  std::size_t panel_stride;  ///< stride from a panel of b to the next
  T* c;                      ///< columns kGeneralRows apart, aligned
  const T* column;           ///< for Start::kColumn, aligned
};

/// A product c(:, i) += sum over k of a(:, k) b(i, k) over instances k.
///
/// c is a part of the gradient of the weights.
template <typename T>
struct GradientProduct {
  std::size_t depth;     ///< number of instances
  const T* a;            ///< panel of deltas, aligned
  const T* b;            ///< panel of inputs
  T* c;                  ///< in a flat vector, not aligned
  std::size_t num_rows;  ///< rows of c, without padding
  std::size_t c_stride;  ///< stride from a column of c to the next
  bool is_first;         ///< true to overwrite c
};

/// Loads count <= kLanes numbers.
template <class D, typename T>
HWY_INLINE hn::Vec<D> load_some(D d, const T* from, std::size_t count) {
  if (count == kLanes<T>) return hn::LoadU(d, from);
  alignas(64) T lanes[kLanes<T>] = {};
  std::copy_n(from, count, lanes);
  return hn::Load(d, lanes);
}

/// Stores count <= kLanes numbers.
template <class D, typename T>
HWY_INLINE void store_some(hn::Vec<D> x, D d, T* to, std::size_t count) {
  if (count == kLanes<T>) return hn::StoreU(x, d, to);
  alignas(64) T lanes[kLanes<T>];
  hn::Store(x, d, lanes);
  std::copy_n(lanes, count, to);
}

/// Fills a vector that several multiply-adds share, like load_shared().
template <class D>
HWY_INLINE hn::Vec<D> set_shared(D d, const hn::TFromD<D>* from) {
  auto vector = hn::Set(d, *from);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  asm volatile("" : "+v"(vector.raw));
#endif
  return vector;
}

/// Adds the terms of one tile of sums: kColumns columns of kVectors vectors.
///
/// The factor with fewer vectors stays in registers, and the other is loaded
/// one vector at a time. With AVX2, 12 sums, three vectors and one fill its 16
/// registers.
///
/// \param a_stride, b_column, b_term  compile-time constants after inlining
template <std::size_t kVectors, std::size_t kColumns, typename T>
HWY_INLINE void add_terms(const T* HWY_RESTRICT a, std::size_t a_stride,
                          const T* HWY_RESTRICT b, std::size_t b_column,
                          std::size_t b_term, std::size_t count,
                          hn::Vec<Tag<T>> (&sum)[kColumns][kVectors]) {
  const Tag<T> d;
  for (std::size_t k = 0; k < count; ++k, a += a_stride, b += b_term) {
    if constexpr (kColumns < kVectors) {
      hn::Vec<Tag<T>> right[kColumns];
      for (std::size_t n = 0; n < kColumns; ++n) {
        right[n] = set_shared(d, b + n * b_column);
      }
      for (std::size_t v = 0; v < kVectors; ++v) {
        const auto left = load_shared(d, a + v * kLanes<T>);
        for (std::size_t n = 0; n < kColumns; ++n) {
          sum[n][v] = hn::MulAdd(left, right[n], sum[n][v]);
        }
      }
    } else {
      hn::Vec<Tag<T>> left[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) {
        left[v] = load_shared(d, a + v * kLanes<T>);
      }
      for (std::size_t n = 0; n < kColumns; ++n) {
        const auto right = hn::Set(d, b[n * b_column]);
        for (std::size_t v = 0; v < kVectors; ++v) {
          sum[n][v] = hn::MulAdd(left[v], right, sum[n][v]);
        }
      }
    }
  }
}

template <std::size_t kVectors, std::size_t kColumns, Start kStart, typename T>
HWY_INLINE void multiply_tile(const UnitProduct<T>& p, std::size_t j) {
  const Tag<T> d;
  hn::Vec<Tag<T>> sum[kColumns][kVectors];
  T* c = p.c + j * kGeneralRows<T>;
  for (std::size_t n = 0; n < kColumns; ++n) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      if constexpr (kStart == Start::kZero) sum[n][v] = hn::Zero(d);
      if constexpr (kStart == Start::kColumn) {
        sum[n][v] = hn::Load(d, p.column + v * kLanes<T>);
      }
      if constexpr (kStart == Start::kResult) {
        sum[n][v] = hn::Load(d, c + n * kGeneralRows<T> + v * kLanes<T>);
      }
    }
  }
  const T* a = p.a;
  const T* b = p.b + j * kGeneralRows<T>;
  for (std::size_t left = p.depth; left > 0;) {
    const std::size_t run = std::min(left, kGeneralRows<T>);
    add_terms(a, kVectors * kLanes<T>, b, kGeneralRows<T>, 1, run, sum);
    a += run * kVectors * kLanes<T>;
    b += p.panel_stride;
    left -= run;
  }
  for (std::size_t n = 0; n < kColumns; ++n) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::Store(sum[n][v], d, c + n * kGeneralRows<T> + v * kLanes<T>);
    }
  }
}

template <std::size_t kVectors, std::size_t kColumns, Start kStart, typename T>
HWY_INLINE void multiply_tile(const GradientProduct<T>& p, std::size_t i) {
  const Tag<T> d;
  const std::size_t rest = p.num_rows - (kVectors - 1) * kLanes<T>;
  hn::Vec<Tag<T>> sum[kColumns][kVectors];
  T* c = p.c + i * p.c_stride;
  for (std::size_t n = 0; n < kColumns; ++n) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      if constexpr (kStart == Start::kZero) {
        sum[n][v] = hn::Zero(d);
      } else {
        sum[n][v] = load_some(d, c + n * p.c_stride + v * kLanes<T>,
                              v + 1 < kVectors ? kLanes<T> : rest);
      }
    }
  }
  add_terms(p.a, kGeneralRows<T>, p.b + i, 1, kGeneralRows<T>, p.depth, sum);
  for (std::size_t n = 0; n < kColumns; ++n) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      store_some(sum[n][v], d, c + n * p.c_stride + v * kLanes<T>,
                 v + 1 < kVectors ? kLanes<T> : rest);
    }
  }
}

/// Computes the remaining columns, in powers of two.
template <std::size_t kVectors, std::size_t kColumns, Start kStart,
          class SomeProduct>
HWY_INLINE void multiply_rest(const SomeProduct& p, std::size_t j,
                              std::size_t end) {
  if constexpr (kColumns > 0) {
    if (j + kColumns <= end) {
      multiply_tile<kVectors, kColumns, kStart>(p, j);
      j += kColumns;
    }
    multiply_rest<kVectors, kColumns / 2, kStart>(p, j, end);
  }
}

/// Returns the largest power of two below a number of columns, at least 1.
constexpr std::size_t rest_columns(std::size_t columns) {
  std::size_t power = 1;
  while (power * 2 < columns) power *= 2;
  return power;
}

template <std::size_t kVectors, Start kStart, class SomeProduct>
HWY_NOINLINE void multiply_columns(const SomeProduct& p,
                                   std::size_t num_columns) {
  constexpr std::size_t kColumns = columns_of(kVectors);
  std::size_t j = 0;
  for (; j + kColumns <= num_columns; j += kColumns) {
    multiply_tile<kVectors, kColumns, kStart>(p, j);
  }
  multiply_rest<kVectors, rest_columns(kColumns), kStart>(p, j, num_columns);
}

/// Computes num_columns columns of num_vectors vectors.
template <Start kStart, class SomeProduct>
HWY_INLINE void multiply_general(const SomeProduct& p, std::size_t num_vectors,
                                 std::size_t num_columns) {
  if (num_vectors == 4) {
    multiply_columns<4, kStart>(p, num_columns);
  } else if (num_vectors == 3) {
    multiply_columns<3, kStart>(p, num_columns);
  } else if (num_vectors == 2) {
    multiply_columns<2, kStart>(p, num_columns);
  } else {
    multiply_columns<1, kStart>(p, num_columns);
  }
}

/// Computes one panel over all terms, one piece of the terms at a time. The
/// piece of a stays in the first level cache while all columns use it.
template <Start kStart, typename T>
void multiply_units(UnitProduct<T> p, std::size_t num_vectors,
                    std::size_t num_columns) {
  constexpr std::size_t kPieceBytes = std::size_t{24} << 10;
  constexpr std::size_t kPanelBytes =
      kGeneralRows<T> * kGeneralRows<T> * sizeof(T);
  constexpr std::size_t kPanels =
      std::max<std::size_t>(1, kPieceBytes / kPanelBytes);
  constexpr std::size_t kDepth = kPanels * kGeneralRows<T>;
  const std::size_t depth = p.depth;
  p.depth = std::min(depth, kDepth);
  multiply_general<kStart>(p, num_vectors, num_columns);
  for (std::size_t begin = kDepth; begin < depth; begin += kDepth) {
    p.depth = std::min(depth - begin, kDepth);
    p.a += kDepth * num_vectors * kLanes<T>;
    p.b += kPanels * p.panel_stride;
    multiply_general<Start::kResult>(p, num_vectors, num_columns);
  }
}

/// Computes some columns of the gradient of the weights over all instances.
///
/// \param num_columns  1 .. kGeneralRows
template <typename T>
void multiply_instances(GradientProduct<T> p, std::size_t num_columns) {
  constexpr std::size_t kInstances = 96;
  const std::size_t depth = p.depth;
  const std::size_t vectors = (p.num_rows + kLanes<T> - 1) / kLanes<T>;
  for (std::size_t begin = 0; begin < depth; begin += kInstances) {
    p.depth = std::min(depth - begin, kInstances);
    if (begin == 0 && p.is_first) {
      multiply_general<Start::kZero>(p, vectors, num_columns);
    } else {
      multiply_general<Start::kResult>(p, vectors, num_columns);
    }
    p.a += kInstances * kGeneralRows<T>;
    p.b += kInstances * kGeneralRows<T>;
  }
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
