// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Computes batch normalisation of panels, forward and backward.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_PANELS_BATCH_NORM_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PANELS_BATCH_NORM_INL_HPP
#undef MLP_CPU_PANELS_BATCH_NORM_INL_HPP
#else
#define MLP_CPU_PANELS_BATCH_NORM_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "../../mlp/network/batch_norm.hpp"
#include "../base/panels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Sums vectors over instances in four independent chains.
///
/// The chain of an instance depends only on its position.
///
/// \param value_at  returns the vector of instance j
template <typename T, class ValueAt>
HWY_INLINE hn::Vec<Tag<T>> sum_over_instances(std::size_t size,
                                              const ValueAt& value_at) {
  const Tag<T> d;
  auto sum0 = hn::Zero(d);
  auto sum1 = sum0;
  auto sum2 = sum0;
  auto sum3 = sum0;
  std::size_t j = 0;
  for (; j + 4 <= size; j += 4) {
    sum0 = hn::Add(sum0, value_at(j));
    sum1 = hn::Add(sum1, value_at(j + 1));
    sum2 = hn::Add(sum2, value_at(j + 2));
    sum3 = hn::Add(sum3, value_at(j + 3));
  }
  if (j < size) sum0 = hn::Add(sum0, value_at(j));
  if (j + 1 < size) sum1 = hn::Add(sum1, value_at(j + 1));
  if (j + 2 < size) sum2 = hn::Add(sum2, value_at(j + 2));
  return hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
}

/// Means and variances of the units of a panel   [kPanelRows each].
template <typename T>
struct PanelStatistics {
  alignas(64) T means[kPanelRows<T>] = {};
  alignas(64) T variances[kPanelRows<T>] = {};
};

/// Computes the statistics of a mini-batch.
template <typename T>
HWY_NOINLINE void compute_statistics(const T* z, std::size_t num_vectors,
                                     std::size_t size,
                                     PanelStatistics<T>& statistics) {
  const Tag<T> d;
  const auto count = hn::Set(d, static_cast<T>(size));
  for (std::size_t v = 0; v < num_vectors; ++v) {
    const T* column = z + v * kLanes<T>;
    const auto at = [&](std::size_t j) HWY_ATTR {
      return hn::Load(d, column + j * kPanelRows<T>);
    };
    const auto mean = hn::Div(sum_over_instances<T>(size, at), count);
    const auto squares =
        sum_over_instances<T>(size, [&](std::size_t j) HWY_ATTR {
          const auto difference = hn::Sub(at(j), mean);
          return hn::Mul(difference, difference);
        });
    hn::Store(mean, d, statistics.means + v * kLanes<T>);
    hn::Store(hn::Div(squares, count), d, statistics.variances + v * kLanes<T>);
  }
}

/// Moves the running statistics towards those of a mini-batch.
///
/// \param[in,out] means, variances  of the units of the panel   [num_rows]
template <typename T>
void move_statistics(const PanelStatistics<T>& batch, std::size_t num_rows,
                     std::size_t size, T* means, T* variances) {
  constexpr auto kMomentum = static_cast<T>(BatchNorm::kMomentum);
  const T correction = static_cast<T>(size) / static_cast<T>(size - 1);
  for (std::size_t i = 0; i < num_rows; ++i) {
    means[i] += kMomentum * (batch.means[i] - means[i]);
    variances[i] +=
        kMomentum * (batch.variances[i] * correction - variances[i]);
  }
}

/// What a panel of a layer needs both forward and backward. Passed by value, so
/// that compilers know that no store changes it.
template <typename T>
struct NormalisedPanel {
  std::size_t num_vectors;
  std::size_t size;      ///< number of instances
  const T* scales;       ///< [kPanelRows]
  T* inverse_deviation;  ///< [kPanelRows]
  T* values;             ///< (z - mean) / deviation; panel
};

/// Computes z = scale (z - mean) / deviation + shift.
///
/// \param         shifts  [kPanelRows]
/// \param[in,out] z       panel
/// \param         panel   inverse_deviation and values are written
template <typename T>
HWY_NOINLINE void normalise_panel(const PanelStatistics<T>& statistics,
                                  const T* shifts, T* z,
                                  NormalisedPanel<T> panel) {
  const Tag<T> d;
  const auto epsilon = hn::Set(d, static_cast<T>(BatchNorm::kEpsilon));
  const auto one = hn::Set(d, static_cast<T>(1));
  for (std::size_t v = 0; v < panel.num_vectors; ++v) {
    const std::size_t first = v * kLanes<T>;
    const auto mean = hn::Load(d, statistics.means + first);
    const auto variance = hn::Load(d, statistics.variances + first);
    const auto inverse = hn::Div(one, hn::Sqrt(hn::Add(variance, epsilon)));
    const auto scale = hn::Load(d, panel.scales + first);
    const auto shift = hn::Load(d, shifts + first);
    hn::Store(inverse, d, panel.inverse_deviation + first);
    for (std::size_t j = 0; j < panel.size; ++j) {
      const std::size_t at = j * kPanelRows<T> + first;
      const auto n = hn::Mul(hn::Sub(hn::Load(d, z + at), mean), inverse);
      hn::Store(n, d, panel.values + at);
      hn::Store(hn::MulAdd(n, scale, shift), d, z + at);
    }
  }
}

/// Computes delta *= scale / deviation, for statistics that are constant.
template <typename T>
HWY_NOINLINE void scale_delta(NormalisedPanel<T> panel, T* delta) {
  const Tag<T> d;
  for (std::size_t v = 0; v < panel.num_vectors; ++v) {
    const std::size_t first = v * kLanes<T>;
    const auto ratio = hn::Mul(hn::Load(d, panel.scales + first),
                               hn::Load(d, panel.inverse_deviation + first));
    for (std::size_t j = 0; j < panel.size; ++j) {
      T* at = delta + j * kPanelRows<T> + first;
      hn::Store(hn::Mul(hn::Load(d, at), ratio), d, at);
    }
  }
}

/// Computes delta = scale / deviation (g - sum(g) / m - n sum(g n) / m).
///
/// n is the normalised value, m the number of instances.
///
/// \param[in,out] delta      g = d loss / d (scale n + shift); panel
/// \param[out]    shift_sum  sum(g)     [kPanelRows]
/// \param[out]    scale_sum  sum(g n)   [kPanelRows]
template <typename T>
HWY_NOINLINE void normalise_delta(NormalisedPanel<T> panel, T* delta,
                                  T* shift_sum, T* scale_sum) {
  const Tag<T> d;
  const auto count = hn::Set(d, static_cast<T>(panel.size));
  for (std::size_t v = 0; v < panel.num_vectors; ++v) {
    const std::size_t first = v * kLanes<T>;
    const auto delta_at = [&](std::size_t j) HWY_ATTR {
      return hn::Load(d, delta + j * kPanelRows<T> + first);
    };
    const auto normalised_at = [&](std::size_t j) HWY_ATTR {
      return hn::Load(d, panel.values + j * kPanelRows<T> + first);
    };
    const auto sum = sum_over_instances<T>(panel.size, delta_at);
    const auto product_sum =
        sum_over_instances<T>(panel.size, [&](std::size_t j) HWY_ATTR {
          return hn::Mul(delta_at(j), normalised_at(j));
        });
    hn::Store(sum, d, shift_sum + first);
    hn::Store(product_sum, d, scale_sum + first);
    const auto mean = hn::Div(sum, count);
    const auto product_mean = hn::Div(product_sum, count);
    const auto ratio = hn::Mul(hn::Load(d, panel.scales + first),
                               hn::Load(d, panel.inverse_deviation + first));
    for (std::size_t j = 0; j < panel.size; ++j) {
      const auto rest = hn::NegMulAdd(normalised_at(j), product_mean,
                                      hn::Sub(delta_at(j), mean));
      hn::Store(hn::Mul(rest, ratio), d, delta + j * kPanelRows<T> + first);
    }
  }
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
