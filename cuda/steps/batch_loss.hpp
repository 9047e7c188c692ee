// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The loss of mini-batches: its sum over ranks, and over an epoch.

#include <cuda_runtime.h>

#include "../../core/index.hpp"

namespace mlp::cuda {

/// The numbers of a mini-batch that ranks sum.
struct BatchSums {
  double loss = 0.0;    ///< sum of w l / size
  double weight = 0.0;  ///< sum of w
  double stop_requests = 0.0;
};

/// Divides loss and gradient of a mini-batch by the sum of the weights instead of
/// its size. Both become 0 if the weights sum to 0.
///
/// \tparam        Number    double or float
/// \param         size      of the mini-batch, on the device   [1]
/// \param[in,out] sums      of all ranks   [1]
/// \param[in,out] gradient  [num_weights]
/// \cost   num_weights products; reads and writes one vector; one launch
template <typename Number>
void divide_by_weight(const double* size, BatchSums* sums, Index num_weights,
                      Number* gradient, cudaStream_t stream);

/// Adds size times loss to the sum of an epoch.
///
/// \param         size  [1]
/// \param         loss  [1]
/// \param[in,out] sum   [1]
void add_to_epoch(const double* size, const double* loss, double* sum,
                  cudaStream_t stream);

}  // namespace mlp::cuda
