// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_runtime.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include "execution_settings.hpp"
#include "kernel_error.hpp"
#include "stream_queues.hpp"

using namespace mlp::cuda_host;

// CUDA declares these types; their content belongs to the runtime.
struct CUstream_st {
  mlp::cuda_host::StreamId id;
};
struct CUevent_st {
  mlp::cuda_host::EventId id;
};
struct CUgraph_st {
  StreamQueues work;
};
struct CUgraphExec_st {
  StreamQueues work;
};

namespace {

/// What the emulated device of a thread knows.
struct Device {
  StreamQueues work;
  std::set<cudaStream_t> streams;
  std::set<cudaEvent_t> events;
  std::set<cudaGraph_t> graphs;
  std::set<cudaGraphExec_t> executables;
  std::map<const char*, std::size_t> pinned;  ///< sizes of host memory
  std::size_t num_allocations = 0;
  std::uint64_t last_id = 0;

  cudaGraph_t captured = nullptr;  ///< null if nothing is captured
  cudaStream_t capturing = nullptr;
};

Device& device() {
  thread_local Device device;
  return device;
}

template <typename Handle>
void require_live(const std::set<Handle>& live, Handle handle,
                  const char* what) {
  if (live.count(handle) != 0) return;
  throw KernelError(std::string(what) + " is used, but does not exist");
}

/// Returns true if work of a stream is captured: that of the stream itself, and
/// that of streams which wait for it.
bool is_captured(cudaStream_t stream) {
  const Device& now = device();
  return now.captured &&
         (stream == now.capturing || now.captured->work.has_stream(stream->id));
}

StreamQueues& queues_of(cudaStream_t stream) {
  require_live(device().streams, stream, "a stream");
  return is_captured(stream) ? device().captured->work : device().work;
}

/// Capturing forbids to wait for the device.
void refuse_capture(const char* call) {
  if (!device().captured) return;
  throw KernelError(std::string(call) + " is not allowed while a graph is " +
                    "captured");
}

bool is_pinned(const void* address) {
  const auto* const byte = static_cast<const char*>(address);
  const auto& pinned = device().pinned;
  auto found = pinned.upper_bound(byte);
  if (found == pinned.begin()) return false;
  --found;
  return byte < found->first + found->second;
}

/// Runs work until a condition holds. Memory is made accessible once, not for each
/// kernel, which takes longer than a small kernel.
void run_until(const std::function<bool()>& is_done) {
  if (is_done()) return;
  const DeviceAccess access;
  device().work.run_until(is_done);
}

template <typename Handle>
Handle make_handle(std::set<Handle>& live) {
  auto* const made = new std::remove_pointer_t<Handle>{++device().last_id};
  live.insert(made);
  return made;
}

template <typename Handle>
void destroy(std::set<Handle>& live, Handle handle, const char* what) {
  require_live(live, handle, what);
  live.erase(handle);
  delete handle;
}

}  // namespace

namespace mlp::cuda_host {

int& num_devices() {
  static int count = 1;
  return count;
}

std::size_t num_live_objects() {
  const Device& now = device();
  return now.num_allocations + now.pinned.size() + now.streams.size() +
         now.events.size() + now.graphs.size() + now.executables.size();
}

std::map<const void*, std::size_t>& shared_limits() {
  thread_local std::map<const void*, std::size_t> limits;
  return limits;
}

void enqueue(cudaStream_t stream, std::function<void()> work) {
  queues_of(stream).add_work(stream->id, std::move(work));
}

void enqueue_attempt(cudaStream_t stream, std::function<bool()> attempt) {
  queues_of(stream).add_attempt(stream->id, std::move(attempt));
}

}  // namespace mlp::cuda_host

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInsufficientDriver:
      return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  return cudaGetErrorName(error);
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = mlp::cuda_host::num_devices();
  return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}

cudaError_t cudaSetDevice(int index) {
  const bool is_known = index >= 0 && index < mlp::cuda_host::num_devices();
  return is_known ? cudaSuccess : cudaErrorInvalidDevice;
}

// Errors that matter are returned by the calls themselves.
cudaError_t cudaGetLastError() { return cudaSuccess; }

cudaError_t cudaDriverGetVersion(int* version) {
  *version = mlp::cuda_host::num_devices() == 0 ? 0 : 13000;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* index) {
  *index = 0;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
  if (index < 0 || index >= mlp::cuda_host::num_devices()) {
    return cudaErrorInvalidDevice;
  }
  *properties = {"emulated device", mlp::cuda_host::memory_limit(), 9, 0, 132};
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  *total_bytes = mlp::cuda_host::memory_limit();
  *free_bytes = *total_bytes - mlp::cuda_host::used_device_memory();
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** address, std::size_t bytes) {
  refuse_capture("cudaMalloc");
  try {
    *address =
        bytes == 0 ? nullptr : mlp::cuda_host::allocate_device_memory(bytes);
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  }
  device().num_allocations += *address ? 1 : 0;
  return cudaSuccess;
}

cudaError_t cudaFree(void* address) {
  cudaDeviceSynchronize();
  mlp::cuda_host::free_device_memory(address);
  device().num_allocations -= address ? 1 : 0;
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void** address, std::size_t bytes) {
  char* const made =
      static_cast<char*>(std::malloc(std::max<std::size_t>(bytes, 1)));
  if (!made) return cudaErrorMemoryAllocation;
  std::memset(made, mlp::cuda_host::execution_settings().fill, bytes);
  device().pinned[made] = bytes;
  *address = made;
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* address) {
  if (address == nullptr) return cudaSuccess;
  cudaDeviceSynchronize();
  if (device().pinned.erase(static_cast<char*>(address)) == 0) {
    throw KernelError("host memory is freed, but was not allocated as pinned");
  }
  std::free(address);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  const bool is_to_device =
      kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool is_from_device =
      kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (is_to_device) mlp::cuda_host::check_device_range(target, bytes);
  if (is_from_device) mlp::cuda_host::check_device_range(source, bytes);
  if (kind == cudaMemcpyHostToDevice && !is_pinned(source)) {
    if (is_captured(stream)) {
      throw KernelError("a graph must copy from pinned memory");
    }
    // The device reads memory that is not pinned before the call returns.
    const auto* const first = static_cast<const char*>(source);
    enqueue(stream, [target, copy = std::vector<char>(first, first + bytes)] {
      const DeviceAccess access;
      std::memcpy(target, copy.data(), copy.size());
    });
    return cudaSuccess;
  }
  enqueue(stream, [=] {
    const DeviceAccess access;
    std::memcpy(target, source, bytes);
  });
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* target, int value, std::size_t bytes,
                            cudaStream_t stream) {
  mlp::cuda_host::check_device_range(target, bytes);
  enqueue(stream, [=] {
    const DeviceAccess access;
    std::memset(target, value, bytes);
  });
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = make_handle(device().streams);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  destroy(device().streams, stream, "a stream");
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  require_live(device().streams, stream, "a stream");
  refuse_capture("cudaStreamSynchronize");
  run_until([&] { return device().work.is_empty(stream->id); });
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  require_live(device().streams, stream, "a stream");
  refuse_capture("cudaStreamQuery");
  device().work.run_available();
  return device().work.is_empty(stream->id) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned) {
  require_live(device().streams, stream, "a stream");
  require_live(device().events, event, "an event");
  // A stream that waits for a captured event is captured from then on.
  const bool joins =
      device().captured && device().captured->work.has_record(event->id);
  StreamQueues& queues = joins ? device().captured->work : queues_of(stream);
  queues.add_wait(stream->id, event->id);
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  refuse_capture("cudaDeviceSynchronize");
  run_until([] { return device().work.is_all_empty(); });
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = make_handle(device().events);
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  destroy(device().events, event, "an event");
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  require_live(device().events, event, "an event");
  queues_of(stream).add_record(stream->id, event->id);
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  require_live(device().events, event, "an event");
  refuse_capture("cudaEventSynchronize");
  run_until([&] { return device().work.is_reached(event->id); });
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  require_live(device().streams, stream, "a stream");
  refuse_capture("cudaStreamBeginCapture");
  device().captured = new CUgraph_st;
  device().capturing = stream;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (!device().captured || stream != device().capturing) {
    throw KernelError("no graph is captured from this stream");
  }
  *graph = std::exchange(device().captured, nullptr);
  device().capturing = nullptr;
  device().graphs.insert(*graph);
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  require_live(device().graphs, graph, "a graph");
  *executable = new CUgraphExec_st{graph->work};
  device().executables.insert(*executable);
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  require_live(device().executables, executable, "an executable graph");
  enqueue_attempt(stream, [work = executable->work]() mutable {
    return work.run_available();
  });
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  destroy(device().graphs, graph, "a graph");
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  destroy(device().executables, executable, "an executable graph");
  return cudaSuccess;
}
