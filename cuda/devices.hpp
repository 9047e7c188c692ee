// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mlp::cuda {

/// An NVIDIA device of this machine.
struct Device {
  int index = 0;
  std::string name;
  int compute_capability_major = 0;
  int compute_capability_minor = 0;
  int num_multiprocessors = 0;
  std::size_t total_bytes = 0;  ///< of its memory
};

/// The parts of CUDA in this build and on this machine.
struct DeviceReport {
  bool is_compiled = false;
  std::string runtime_version;  ///< such as 13.0, or empty
  std::string driver_version;   ///< that it supports, or empty without a driver
  std::vector<Device> devices;
  std::string refusal;  ///< why no device can be used, or empty
  std::string cublas;   ///< the version found, or empty
  std::string cublas_refusal;
  std::string nccl;  ///< the version found, or empty
  std::string nccl_refusal;
};

/// Returns true if this build has the CUDA backend. It opens no library.
[[nodiscard]] bool is_compiled();

/// Looks for devices. It opens the driver, but creates no context.
///
/// \return without the libraries
[[nodiscard]] DeviceReport find_devices();

/// Looks for cuBLAS and NCCL, and loads them.
///
/// \param[in,out] report  gets their versions, or why they cannot be loaded; stays
///                        as it is in a build without CUDA
void find_libraries(DeviceReport& report);

}  // namespace mlp::cuda
