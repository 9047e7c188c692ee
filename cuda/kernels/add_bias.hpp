// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "../../core/index.hpp"

namespace mlp::cuda {

/// Adds the biases of a layer to the products of its instances.
///
/// \tparam        Number  double or float
/// \param         biases  [units]
/// \param[in,out] z       [units x size]
/// \cost   units size additions, 2 units size numbers of memory traffic
template <typename Number>
void add_bias(Index units, Index size, const Number* biases, Number* z,
              cudaStream_t stream);

}  // namespace mlp::cuda
