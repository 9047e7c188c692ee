// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The updates of mini-batch solvers: optim::Sgd and optim::Adam on the device.

#include <cuda_runtime.h>

#include "../../core/index.hpp"
#include "../../optim/adam.hpp"
#include "../../optim/sgd.hpp"
#include "weight_kind.hpp"

namespace mlp::cuda {

/// The numbers of one update. They are read from the memory of the device, so
/// that a captured step can be repeated.
struct UpdateFactors {
  double step_size = 0.0;   ///< of optim::Sgd
  optim::AdamFactors adam;  ///< of optim::Adam
};

/// The weights that an update changes, and their kinds.
///
/// \tparam Number  double or float
template <typename Number>
struct UpdateVectors {
  Index num_weights = 0;
  const WeightKind* kinds = nullptr;    ///< on the device   [num_weights]
  const UpdateFactors* step = nullptr;  ///< on the device   [1]
  const Number* gradient = nullptr;     ///< [num_weights]
  Number* weights = nullptr;            ///< [num_weights]
};

/// Updates weights as optim::Sgd.
///
/// \param[in,out] velocity  [num_weights], or null without momentum
/// \cost   one pass that reads three vectors and writes two
template <typename Number>
void update_by_sgd(const optim::SgdOptions& options,
                   const UpdateVectors<Number>& vectors, Number* velocity,
                   cudaStream_t stream);

/// Updates weights as optim::Adam. The weight decay is in the factors of the step.
///
/// \param[in,out] mean, mean_square  [num_weights]
/// \cost   one pass that reads four vectors and writes three
template <typename Number>
void update_by_adam(const optim::AdamOptions& options,
                    const UpdateVectors<Number>& vectors, Number* mean,
                    Number* mean_square, cudaStream_t stream);

}  // namespace mlp::cuda
