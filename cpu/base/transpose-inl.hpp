// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_BASE_TRANSPOSE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_BASE_TRANSPOSE_INL_HPP
#undef MLP_CPU_BASE_TRANSPOSE_INL_HPP
#else
#define MLP_CPU_BASE_TRANSPOSE_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "panels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Side of the squares that transpose_square() transposes.
template <typename T>
constexpr std::size_t kSquare = HWY_TARGET == HWY_SCALAR ? 1
                                : kLanes<T> >= 4         ? 4
                                                         : kLanes<T>;

/// Transposes a square of numbers.
///
/// \param load   load(d, i) returns row i as a vector of kSquare numbers
/// \param store  store(d, i, column) is called with columns 0, 1, .. in order
template <typename T, class Load, class Store>
HWY_INLINE void transpose_square(const Load& load, const Store& store) {
  const hn::CappedTag<T, kSquare<T>> d;
#if HWY_TARGET == HWY_SCALAR
  store(d, 0, load(d, 0));
#else
  if constexpr (kSquare<T> == 2) {
    const auto r0 = load(d, 0);
    const auto r1 = load(d, 1);
    store(d, 0, hn::InterleaveLower(d, r0, r1));
    store(d, 1, hn::InterleaveUpper(d, r0, r1));
  } else {
    const auto r0 = load(d, 0);
    const auto r1 = load(d, 1);
    const auto r2 = load(d, 2);
    const auto r3 = load(d, 3);
    const auto low01 = hn::InterleaveLower(d, r0, r1);
    const auto low23 = hn::InterleaveLower(d, r2, r3);
    const auto high01 = hn::InterleaveUpper(d, r0, r1);
    const auto high23 = hn::InterleaveUpper(d, r2, r3);
    // Vectors interleave in blocks of 16 bytes: two doubles, or four floats.
    constexpr bool kHasBlocks = sizeof(T) == sizeof(double);
    store(d, 0, hn::ConcatLowerLower(d, low23, low01));
    store(d, 1,
          kHasBlocks ? hn::ConcatLowerLower(d, high23, high01)
                     : hn::ConcatUpperUpper(d, low23, low01));
    store(d, 2,
          kHasBlocks ? hn::ConcatUpperUpper(d, low23, low01)
                     : hn::ConcatLowerLower(d, high23, high01));
    store(d, 3, hn::ConcatUpperUpper(d, high23, high01));
  }
#endif
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
