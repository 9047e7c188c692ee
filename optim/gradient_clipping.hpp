// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "../core/types.hpp"
#include "update_range.hpp"

/// Gradient clipping by value and by norm.
namespace mlp::optim {

/// Clips each entry of a gradient to [-limit, limit]. NaN stays NaN.
///
/// \param[in,out] gradient  [num_weights]
/// \pre limit > 0
template <typename Number>
void clip_by_value(const UpdateRange& range, double limit,
                   FlatRef<Number> gradient) {
  const auto bound = static_cast<Number>(limit);
  for (Number& entry : gradient.segment(range.first, range.size)) {
    entry = std::clamp(entry, -bound, bound);
  }
}

/// Computes the sum of squares of a range in double precision.
///
/// The order of the additions depends only on the range. To get the same bits
/// with threads, each thread sums whole ranges and the caller adds the results
/// in the order of the ranges.
///
/// \param gradient  [num_weights]
template <typename Number>
[[nodiscard]] double sum_of_squares(const UpdateRange& range,
                                    const ConstFlatRef<Number>& gradient) {
  constexpr Index kChains = 8;
  using Chains = Eigen::Array<double, kChains, 1>;
  const Number* entries = gradient.data() + range.first;
  Chains sums = Chains::Zero();
  Index i = 0;
  for (; i + kChains <= range.size; i += kChains) {
    const Eigen::Map<const Eigen::Array<Number, kChains, 1>> some(entries + i);
    sums += some.template cast<double>().square();
  }
  for (; i < range.size; ++i) {
    const auto entry = static_cast<double>(entries[i]);
    sums[i % kChains] += entry * entry;
  }
  return sums.sum();
}

/// Computes the factor that clips a gradient with this norm.
///
/// The factor is limit / (norm + 1e-6) if this is below 1, as in
/// torch.nn.utils.clip_grad_norm_, and 1 otherwise. If the norm is NaN or
/// infinite, the factor is 1, so that the divergence stays visible in the
/// weights.
[[nodiscard]] inline double clip_scale(double norm, double limit) {
  constexpr double kNormFloor = 1e-6;
  const double scale = limit / (norm + kNormFloor);
  return std::isfinite(norm) && scale < 1.0 ? scale : 1.0;
}

/// Scales a gradient so that its norm over all ranges is at most limit.
///
/// \param[in,out] gradient  [num_weights]; unchanged outside the ranges
/// \pre    limit > 0
/// \return the norm before clipping
/// \source Pascanu, Mikolov and Bengio 2013, algorithm 1
template <typename Number>
double clip_by_norm(std::span<const UpdateRange> ranges, double limit,
                    FlatRef<Number> gradient) {
  double squares = 0.0;
  for (const UpdateRange& range : ranges) {
    squares += sum_of_squares<Number>(range, gradient);
  }
  const double norm = std::sqrt(squares);
  const double scale = clip_scale(norm, limit);
  if (scale == 1.0) return norm;
  for (const UpdateRange& range : ranges) {
    gradient.segment(range.first, range.size) *= static_cast<Number>(scale);
  }
  return norm;
}

}  // namespace mlp::optim
