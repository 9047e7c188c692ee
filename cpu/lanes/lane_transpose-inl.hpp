// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Transposes between instance order and the layout of lanes.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_LANES_LANE_TRANSPOSE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_LANES_LANE_TRANSPOSE_INL_HPP
#undef MLP_CPU_LANES_LANE_TRANSPOSE_INL_HPP
#else
#define MLP_CPU_LANES_LANE_TRANSPOSE_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "../base/transpose-inl.hpp"
#include "lane_product-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Transposes the square whose row i begins at row_at(i).
///
/// \param[out] to  columns stride apart
template <typename T, class RowAt>
HWY_INLINE void transpose_rows(const RowAt& row_at, T* to, std::size_t stride) {
  transpose_square<T>([&](auto d, std::size_t i)
                          HWY_ATTR { return hn::LoadU(d, row_at(i)); },
                      [&](auto d, std::size_t i, auto column)
                          HWY_ATTR { hn::StoreU(column, d, to + i * stride); });
}

/// Up to so many numbers are converted in a row, before or after they are
/// transposed: conversions of single numbers take longer.
template <typename T>
constexpr std::size_t kMostInRow = 16 * kLaneTile<T>;

/// Converts numbers that lie in a row.
template <typename From, typename To>
HWY_INLINE void convert_row(const From* from, std::size_t count, To* to) {
  const hn::Rebind<From, Tag<double>> from_d;
  const hn::Rebind<To, Tag<double>> d;
  std::size_t i = 0;
  for (; i + kLanes<double> <= count; i += kLanes<double>) {
    const auto numbers = hn::LoadU(from_d, from + i);
    if constexpr (sizeof(To) < sizeof(From)) {
      hn::StoreU(hn::DemoteTo(d, numbers), d, to + i);
    } else {
      hn::StoreU(hn::PromoteTo(d, numbers), d, to + i);
    }
  }
  for (; i < count; ++i) to[i] = static_cast<To>(from[i]);
}

/// Copies instances to rows of units. Padding repeats the last instance, so
/// that it adds no infinity or NaN that the data do not contain.
///
/// \param      from  [num_units x count]
/// \param      size  count with padding, at most kLaneTile
/// \param[out] to    [num_units x kLaneTile], row after row
template <typename Number, typename T>
HWY_INLINE void put_into_lanes(const Number* from, std::size_t num_units,
                               std::size_t count, std::size_t size, T* to) {
  if constexpr (!std::is_same_v<Number, T>) {
    if (num_units * count <= kMostInRow<T>) {
      T converted[kMostInRow<T>];
      convert_row(from, num_units * count, converted);
      return put_into_lanes<T, T>(converted, num_units, count, size, to);
    }
  }
  std::size_t units = 0;  // units copied in squares
  std::size_t whole = 0;
  if constexpr (std::is_same_v<Number, T>) {
    units = num_units / kSquare<T> * kSquare<T>;
    whole = count / kSquare<T> * kSquare<T>;
    for (std::size_t j = 0; j < whole; j += kSquare<T>) {
      for (std::size_t i = 0; i < units; i += kSquare<T>) {
        transpose_rows(
            [&](std::size_t r) { return from + (j + r) * num_units + i; },
            to + i * kLaneTile<T> + j, kLaneTile<T>);
      }
    }
  }
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t i = j < whole ? units : 0; i < num_units; ++i) {
      to[i * kLaneTile<T> + j] = static_cast<T>(from[j * num_units + i]);
    }
  }
  for (std::size_t i = 0; i < num_units; ++i, to += kLaneTile<T>) {
    std::fill(to + count, to + size, to[count - 1]);
  }
}

/// Copies rows of units back to instances.
///
/// A square may write past the last unit of an instance. The squares of the
/// last units are written first, so that later squares overwrite these numbers.
/// The last instances are copied one by one.
///
/// \param      from  [num_units x kLaneTile], row after row
/// \param[out] to    [num_units x count]
template <typename T, typename Number>
HWY_INLINE void take_from_lanes(const T* from, std::size_t num_units,
                                std::size_t count, Number* to) {
  if constexpr (!std::is_same_v<Number, T>) {
    if (num_units * count <= kMostInRow<T>) {
      T converted[kMostInRow<T>];
      take_from_lanes<T, T>(from, num_units, count, converted);
      return convert_row(converted, num_units * count, to);
    }
  }
  std::size_t done = 0;
  if constexpr (std::is_same_v<Number, T>) {
    const std::size_t squares = (num_units + kSquare<T> - 1) / kSquare<T>;
    for (; done + 2 * kSquare<T> <= count; done += kSquare<T>) {
      for (std::size_t s = squares; s-- > 0;) {
        const std::size_t first = s * kSquare<T>;
        transpose_rows(
            [&](std::size_t r) {
              return from + std::min(first + r, num_units - 1) * kLaneTile<T> +
                     done;
            },
            to + done * num_units + first, num_units);
      }
    }
  }
  for (std::size_t j = done; j < count; ++j) {
    for (std::size_t i = 0; i < num_units; ++i) {
      to[j * num_units + i] = static_cast<Number>(from[i * kLaneTile<T> + j]);
    }
  }
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
