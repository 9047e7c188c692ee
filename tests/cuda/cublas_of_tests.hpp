// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../cuda/blas/cublas_functions.hpp"

namespace mlp::cuda {

/// The cuBLAS that tests use: a plain one on the emulated device, the installed
/// one on a device.
[[nodiscard]] const CublasFunctions& cublas_of_tests();

}  // namespace mlp::cuda
