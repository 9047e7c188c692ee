// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The updates of mini-batch solvers: optim::Sgd and optim::Adam on the device.

#include <cuda_runtime.h>

#include "../../core/index.hpp"
#include "weight_kind.hpp"

namespace mlp::cuda {

/// The numbers of one update. They are read from the memory of the device, so
/// that a captured step can be repeated.
struct UpdateFactors {
  double step_size = 0.0;
  double kept = 1.0;        ///< as optim::AdamFactors
  double length = 0.0;      ///< as optim::AdamFactors
  double root_scale = 1.0;  ///< as optim::AdamFactors
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

/// The constants of stochastic gradient descent.
struct SgdConstants {
  double momentum = 0.0;
  bool is_nesterov = false;
  double weight_decay = 0.0;
};

/// Updates weights as optim::Sgd.
///
/// \param[in,out] velocity  [num_weights], or null without momentum
/// \cost   one pass that reads three vectors and writes two
template <typename Number>
void update_by_sgd(const SgdConstants& constants,
                   const UpdateVectors<Number>& vectors, Number* velocity,
                   cudaStream_t stream);

/// The constants of Adam.
struct AdamConstants {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// Updates weights as optim::Adam.
///
/// \param[in,out] mean, mean_square  [num_weights]
/// \cost   one pass that reads four vectors and writes three
template <typename Number>
void update_by_adam(const AdamConstants& constants,
                    const UpdateVectors<Number>& vectors, Number* mean,
                    Number* mean_square, cudaStream_t stream);

}  // namespace mlp::cuda
