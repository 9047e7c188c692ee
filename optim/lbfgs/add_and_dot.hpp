// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/types.hpp"

namespace mlp::optim {

/// Computes x += a y and then the dot product x^T z in one pass.
///
/// Eight independent partial sums hide the latency of the additions.
///
/// \param[in,out] x  += a y   [num_weights]
/// \return x^T z, with the new x
/// \pre    x, y and z have the same size
/// \cost   4 num_weights flops; reads three vectors and writes one
inline double add_and_dot(double a, const Vector& y, const Vector& z,
                          Vector& x) {
  constexpr Index kChains = 8;
  Eigen::Array<double, kChains, 1> sums;
  sums.setZero();
  Index i = 0;
  for (; i + kChains <= x.size(); i += kChains) {
    x.segment<kChains>(i) += a * y.segment<kChains>(i);
    sums += x.segment<kChains>(i).array() * z.segment<kChains>(i).array();
  }
  for (; i < x.size(); ++i) {
    x[i] += a * y[i];
    sums[i % kChains] += x[i] * z[i];
  }
  return sums.sum();
}

}  // namespace mlp::optim
