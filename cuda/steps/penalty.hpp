// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "../../core/index.hpp"
#include "weight_kind.hpp"

namespace mlp::cuda {

/// How an objective and its gradient are changed; 0 switches a term off.
struct PenaltyTerms {
  double reg_param = 0.0;   ///< adds reg_param / 2 times the sum of squares
  double clip_value = 0.0;  ///< bounds each element
  double clip_norm = 0.0;   ///< bounds the length of the gradient
};

/// An objective and its gradient on the device.
template <typename Number>
struct PenaltyTarget {
  double* value;     ///< [1]
  Number* gradient;  ///< [num_weights]
};

/// Adds the penalty of the weights to an objective and its gradient, then clips
/// the gradient, as mlp::apply_penalty(). Elements of weights that do not change
/// become 0.
///
/// \tparam        Number    double or float
/// \param         kinds     on the device   [num_weights]
/// \param         weights   [num_weights]
/// \param[out]    partials  workspace   [num_partials(num_weights) x 2]
/// \cost   6 num_weights flops; reads weights, kinds and gradient and writes the
///         gradient, once more each if it is clipped by norm; 2 launches, or 3
template <typename Number>
void add_penalty(const PenaltyTerms& terms, std::span<const WeightKind> kinds,
                 const Number* weights, const PenaltyTarget<Number>& target,
                 double* partials, cudaStream_t stream);

}  // namespace mlp::cuda
