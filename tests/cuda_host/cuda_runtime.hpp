// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The functions of the CUDA runtime that mlp calls, on an emulated device. Each
/// thread of the host has a device of its own, which other threads cannot use.
///
/// Work of a stream runs when somebody waits for it. What no program may do
/// throws KernelError; what a correct program must expect, such as too little
/// memory, is a cudaError_t as on a device.

#include <cstddef>
#include <functional>
#include <type_traits>

#include "cuda_language.hpp"
#include "device_memory.hpp"
#include "execution_settings.hpp"
#include "grid.hpp"

// NOLINTBEGIN: CUDA chose these names.
enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNotReady = 600
};

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3
};

enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal = 1 };

inline constexpr unsigned cudaStreamNonBlocking = 1;
inline constexpr unsigned cudaEventDisableTiming = 2;

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
using cudaGraph_t = struct CUgraph_st*;
using cudaGraphExec_t = struct CUgraphExec_st*;

const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);

/// The last error that a call returned, which is then forgotten.
cudaError_t cudaGetLastError();

cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int* device);

/// Describes the emulated device: a name, 132 multiprocessors of compute
/// capability 9.0.
struct cudaDeviceProp {
  char name[256];
  std::size_t totalGlobalMem;
  int major;
  int minor;
  int multiProcessorCount;
};
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);

cudaError_t cudaMalloc(void** address, std::size_t bytes);
cudaError_t cudaFree(void* address);
cudaError_t cudaMallocHost(void** address, std::size_t bytes);
cudaError_t cudaFreeHost(void* address);
cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* target, int value, std::size_t bytes,
                            cudaStream_t stream);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags);
cudaError_t cudaDeviceSynchronize();

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);

struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
};
// NOLINTEND

namespace mlp::cuda_host {

/// The number of devices that programs see, at first 1.
[[nodiscard]] int& num_devices();

/// Returns the number of allocations, streams, events and graphs that were not
/// destroyed.
[[nodiscard]] std::size_t num_live_objects();

/// Adds work to a stream, or to the graph that is captured.
void enqueue(cudaStream_t stream, std::function<void()> work);

/// Adds work that may have to wait for other devices. It is called until it
/// returns true; later work of the stream waits.
void enqueue_attempt(cudaStream_t stream, std::function<bool()> attempt);

/// Launches a kernel. The arguments are copied now, as on a device.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchShape& shape,
            cudaStream_t stream, const Arguments&... arguments) {
  static_assert((std::is_trivially_copyable_v<Parameters> && ...),
                "a kernel copies its arguments byte by byte");
  enqueue(stream, [=] {
    const DeviceAccess access;
    run_grid(shape, [&] { kernel(static_cast<Parameters>(arguments)...); });
  });
}

/// The dynamic shared memory that a kernel may use.
inline constexpr std::size_t kMaxSharedBytes = 48 * 1024;

}  // namespace mlp::cuda_host

// NOLINTBEGIN: CUDA chose these names.
template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config,
                               void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  if (config->dynamicSmemBytes > mlp::cuda_host::kMaxSharedBytes) {
    return cudaErrorInvalidValue;
  }
  dim3 grid = config->gridDim;
  const unsigned max_blocks = mlp::cuda_host::execution_settings().max_blocks;
  if (max_blocks != 0 && grid.x > max_blocks) grid.x = max_blocks;
  mlp::cuda_host::launch(kernel,
                         {grid, config->blockDim, config->dynamicSmemBytes},
                         config->stream, arguments...);
  return cudaSuccess;
}
// NOLINTEND
