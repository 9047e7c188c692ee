// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

namespace mlp::cuda {

/// Throws unless a call of the CUDA runtime succeeded.
///
/// \param call  its name, for the message
/// \throws ResourceError if the device has too little memory; DeviceError for
///         every other failure
void check(cudaError_t error, const char* call);

}  // namespace mlp::cuda
