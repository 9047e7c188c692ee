// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Adds and multiplies panels number by number.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_PANELS_PANEL_ARITHMETIC_INL_HPP) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PANELS_PANEL_ARITHMETIC_INL_HPP
#undef MLP_CPU_PANELS_PANEL_ARITHMETIC_INL_HPP
#else
#define MLP_CPU_PANELS_PANEL_ARITHMETIC_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "../base/panels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Calls f(offset, count) for the contiguous runs of numbers of a panel.
///
/// \param size  number of columns
template <typename T, class F>
HWY_INLINE void for_each_run(std::size_t num_vectors, std::size_t size,
                             const F& f) {
  if (num_vectors == kPanelVectors) return f(0, size * kPanelRows<T>);
  for (std::size_t j = 0; j < size; ++j) {
    f(j * kPanelRows<T>, num_vectors * kLanes<T>);
  }
}

/// Computes to = operation(to, from) for the vectors of a panel.
template <typename T, class Operation>
HWY_INLINE void combine_panels(const T* from, std::size_t num_vectors,
                               std::size_t size, T* to,
                               const Operation& operation) {
  const Tag<T> d;
  for_each_run<T>(
      num_vectors, size, [&](std::size_t at, std::size_t count) HWY_ATTR {
        for (std::size_t i = at; i < at + count; i += kLanes<T>) {
          hn::Store(operation(hn::Load(d, to + i), hn::Load(d, from + i)), d,
                    to + i);
        }
      });
}

/// Computes to += from.
template <typename T>
void add_panel(const T* from, std::size_t num_vectors, std::size_t size,
               T* to) {
  combine_panels(from, num_vectors, size, to,
                 [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); });
}

/// Computes to *= from.
template <typename T>
void scale_panel(const T* from, std::size_t num_vectors, std::size_t size,
                 T* to) {
  combine_panels(from, num_vectors, size, to,
                 [](auto a, auto b) HWY_ATTR { return hn::Mul(a, b); });
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
