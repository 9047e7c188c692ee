// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "devices.hpp"

#include <cuda_runtime.h>

#include <string>

#include "../core/error.hpp"
#include "blas/cublas_functions.hpp"
#include "nccl/nccl_functions.hpp"
#include "runtime/cuda_check.hpp"
#include "runtime/shared_library.hpp"

namespace mlp::cuda {

namespace {

/// 13000 is version 13.0.
std::string format_version(int version) {
  return std::to_string(version / 1000) + '.' +
         std::to_string(version % 1000 / 10);
}

Device describe(int index) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  Device device;
  device.index = index;
  device.name = properties.name;
  device.compute_capability_major = properties.major;
  device.compute_capability_minor = properties.minor;
  device.num_multiprocessors = properties.multiProcessorCount;
  device.total_bytes = properties.totalGlobalMem;
  return device;
}

/// Explains why there is no device.
std::string explain(cudaError_t error, const DeviceReport& report) {
  if (error == cudaErrorInsufficientDriver && report.driver_version.empty()) {
    return "no NVIDIA driver is installed (libcuda.so.1 was not found); "
           "install "
           "it, or compute on the CPU";
  }
  if (error == cudaErrorInsufficientDriver) {
    return "the NVIDIA driver is too old: it supports CUDA " +
           report.driver_version + "; expected " + report.runtime_version +
           " or later; install a newer driver";
  }
  if (error == cudaErrorNoDevice) {
    return "the NVIDIA driver has no device; nvidia-smi and the variable "
           "CUDA_VISIBLE_DEVICES show which ones programs may use";
  }
  return std::string("the NVIDIA driver failed: ") + cudaGetErrorString(error);
}

std::string cublas_version() {
  const SharedLibrary library = open_cublas();
  int (*get_property)(int part, int* value) = nullptr;
  library.find("cublasGetProperty", get_property);
  std::string version;
  constexpr int kNumParts = 3;  // major, minor, patch
  for (int part = 0; part < kNumParts; ++part) {
    int value = 0;
    static_cast<void>(get_property(part, &value));
    if (part > 0) version += '.';
    version += std::to_string(value);
  }
  return version;
}

/// Stores the version of a library, or why it cannot be loaded.
template <typename ReadVersion>
void find_library(ReadVersion read_version, std::string& version,
                  std::string& refusal) {
  try {
    version = read_version();
  } catch (const ResourceError& error) {
    refusal = error.what();
  }
}

}  // namespace

void find_libraries(DeviceReport& report) {
  find_library(cublas_version, report.cublas, report.cublas_refusal);
  find_library([] { return nccl_version(load_nccl()); }, report.nccl,
               report.nccl_refusal);
}

bool is_compiled() { return true; }

DeviceReport find_devices() {
  DeviceReport report;
  report.is_compiled = true;
  int version = 0;
  if (cudaRuntimeGetVersion(&version) == cudaSuccess) {
    report.runtime_version = format_version(version);
  }
  if (cudaDriverGetVersion(&version) == cudaSuccess && version > 0) {
    report.driver_version = format_version(version);
  }
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    report.refusal = explain(error, report);
    return report;
  }
  std::string problem;
  for (int i = 0; i < count; ++i) {
    try {
      report.devices.push_back(describe(i));
    } catch (const DeviceError& device_error) {
      // A faulty device does not hide the others.
      problem = device_error.what();
    }
  }
  if (report.devices.empty()) report.refusal = problem;
  return report;
}

}  // namespace mlp::cuda
