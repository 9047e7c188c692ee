// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_check.hpp"

#include <string>

#include "../../core/error.hpp"

namespace mlp::cuda {

void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  const std::string sentence = std::string("the CUDA device failed: ") + call +
                               ": " + cudaGetErrorString(error) + " (" +
                               cudaGetErrorName(error) + ')';
  if (error == cudaErrorMemoryAllocation) throw ResourceError(sentence);
  throw DeviceError(sentence);
}

}  // namespace mlp::cuda
