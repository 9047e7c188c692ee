// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "devices.hpp"

namespace mlp::cuda {

/// The lowest compute capability that the kernels are compiled for.
inline constexpr int kLeastComputeCapability = 8;

/// Checks that a device can be used.
///
/// \param index   0-based, as the driver counts
/// \param prefix  begins each sentence, such as "--device: "
/// \throws NotCompiled for a build without CUDA; DeviceError if there is no
///         driver, no device, no device of this index or one that is too old,
///         or if cuBLAS cannot be loaded
void require_device(const DeviceReport& report, int index,
                    const std::string& prefix);

/// Returns the name of a device: "cuda:0 (NVIDIA H200)".
[[nodiscard]] std::string describe_device(const Device& device);

}  // namespace mlp::cuda
