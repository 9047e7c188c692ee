// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_runtime.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <thread>

#include "execution_settings.hpp"
#include "kernel_error.hpp"

using namespace mlp::cuda_host;

namespace {

__global__ void add_number(double* numbers, int size, double number) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < static_cast<unsigned>(size)) numbers[i] += number;
}

__global__ void copy_numbers(const double* from, double* to, int size) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < static_cast<unsigned>(size)) to[i] = from[i];
}

constexpr int kSize = 100;
constexpr std::size_t kBytes = kSize * sizeof(double);
const LaunchShape kShape{{4, 1, 1}, {32, 1, 1}, 0};

/// Two streams, two arrays on the device, and an array of the host.
struct Fixture {
  cudaStream_t first = nullptr;
  cudaStream_t second = nullptr;
  cudaEvent_t event = nullptr;
  double* a = nullptr;
  double* b = nullptr;
  std::array<double, kSize> host{};
  ExecutionSettings before = execution_settings();

  Fixture() {
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMalloc(reinterpret_cast<void**>(&a), kBytes);
    cudaMalloc(reinterpret_cast<void**>(&b), kBytes);
    host.fill(1.0);
  }

  ~Fixture() {
    cudaFree(a);
    cudaFree(b);
    cudaEventDestroy(event);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    execution_settings() = before;
  }

  void upload(double* target) {
    cudaMemcpyAsync(target, host.data(), kBytes, cudaMemcpyHostToDevice, first);
  }

  void download(const double* source, cudaStream_t stream) {
    cudaMemcpyAsync(host.data(), source, kBytes, cudaMemcpyDeviceToHost,
                    stream);
    cudaStreamSynchronize(stream);
  }

  [[nodiscard]] bool is_all(double number) const {
    return std::all_of(host.begin(), host.end(),
                       [&](double value) { return value == number; });
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "A kernel computes on copied numbers") {
  upload(a);
  host.fill(0.0);  // the copy has been read
  launch(add_number, kShape, first, a, kSize, 2.5);
  download(a, first);
  CHECK(is_all(3.5));
}

TEST_CASE_FIXTURE(Fixture, "Results are there only after somebody waits") {
  upload(a);
  launch(add_number, kShape, first, a, kSize, 1.0);
  cudaMemcpyAsync(host.data(), a, kBytes, cudaMemcpyDeviceToHost, first);
  CHECK(is_all(1.0));
  cudaStreamSynchronize(first);
  CHECK(is_all(2.0));
}

TEST_CASE_FIXTURE(Fixture, "A missing wait between streams changes results") {
  const auto run = [&](std::uint64_t seed, bool is_waiting) {
    execution_settings().order_seed = seed;
    host.fill(1.0);
    upload(a);
    cudaMemsetAsync(b, 0, kBytes, first);
    cudaStreamSynchronize(first);
    launch(add_number, kShape, first, a, kSize, 1.0);
    cudaEventRecord(event, first);
    if (is_waiting) cudaStreamWaitEvent(second, event, 0);
    launch(copy_numbers, kShape, second, a, b, kSize);
    download(b, second);
    return host[0];
  };
  std::set<double> with_wait, without_wait;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    with_wait.insert(run(seed, true));
    without_wait.insert(run(seed, false));
  }
  CHECK(with_wait == std::set<double>{2.0});
  CHECK(without_wait == std::set<double>{1.0, 2.0});
}

TEST_CASE_FIXTURE(Fixture, "A graph repeats the work of two streams") {
  upload(a);
  cudaStreamSynchronize(first);
  cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal);
  launch(add_number, kShape, first, a, kSize, 1.0);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event, 0);
  launch(copy_numbers, kShape, second, a, b, kSize);
  cudaEventRecord(event, second);
  cudaStreamWaitEvent(first, event, 0);
  launch(add_number, kShape, first, b, kSize, 10.0);
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(first, &graph);
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(executable, first);
  download(b, first);
  CHECK(is_all(14.0));
  cudaGraphExecDestroy(executable);
}

TEST_CASE_FIXTURE(Fixture, "A graph must not wait for the device") {
  cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal);
  CHECK_THROWS_WITH_AS(
      cudaStreamSynchronize(first),
      "cudaStreamSynchronize is not allowed while a graph is captured",
      KernelError);
  CHECK_THROWS_AS(upload(a), KernelError);
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(first, &graph);
  cudaGraphDestroy(graph);
}

TEST_CASE_FIXTURE(Fixture, "Pinned memory is read when the copy runs") {
  void* address = nullptr;
  cudaMallocHost(&address, kBytes);
  auto* const pinned = static_cast<double*>(address);
  std::fill_n(pinned, kSize, 1.0);
  cudaMemcpyAsync(a, pinned, kBytes, cudaMemcpyHostToDevice, first);
  std::fill_n(pinned, kSize, 5.0);  // too early
  download(a, first);
  CHECK(is_all(5.0));
  cudaFreeHost(address);
}

TEST_CASE_FIXTURE(Fixture, "Copies outside an allocation are errors") {
  CHECK_THROWS_AS(cudaMemcpyAsync(a + 1, host.data(), kBytes,
                                  cudaMemcpyHostToDevice, first),
                  KernelError);
  CHECK_THROWS_AS(cudaMemsetAsync(host.data(), 0, kBytes, first), KernelError);
}

TEST_CASE_FIXTURE(Fixture,
                  "A kernel that writes behind an allocation is found") {
  void* address = nullptr;
  cudaMalloc(&address, kBytes);
  auto* const numbers = static_cast<double*>(address);
  launch(add_number, kShape, first, numbers, kSize + 1, 1.0);
  CHECK_THROWS_WITH_AS(cudaFree(address),
                       "a kernel wrote behind the 800 bytes of an allocation",
                       KernelError);
}

TEST_CASE("Too little memory and a missing device are error codes") {
  void* address = nullptr;
  CHECK(cudaMalloc(&address, memory_limit() + 1) == cudaErrorMemoryAllocation);
  num_devices() = 0;
  int count = -1;
  CHECK(cudaGetDeviceCount(&count) == cudaErrorNoDevice);
  CHECK(count == 0);
  CHECK(cudaSetDevice(0) == cudaErrorInvalidDevice);
  num_devices() = 1;
  CHECK(cudaSetDevice(0) == cudaSuccess);
}

TEST_CASE("Objects that are not destroyed are counted") {
  const std::size_t before = num_live_objects();
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, 0);
  CHECK(num_live_objects() == before + 1);
  cudaEventDestroy(event);
  CHECK(num_live_objects() == before);
  CHECK_THROWS_AS(cudaEventDestroy(event), KernelError);
}

TEST_CASE("Each thread has a device of its own") {
  const std::size_t before = num_live_objects();
  std::size_t inside = 0;
  bool is_computed = false;
  std::thread other([&] {
    Fixture device;
    inside = num_live_objects();
    device.upload(device.a);
    launch(add_number, kShape, device.first, device.a, kSize, 1.0);
    device.download(device.a, device.first);
    is_computed = device.is_all(2.0);
  });
  other.join();
  CHECK(inside == 5);
  CHECK(is_computed);
  CHECK(num_live_objects() == before);
}

TEST_CASE_FIXTURE(Fixture, "A query runs what need not wait") {
  bool is_there = false;
  upload(a);
  enqueue_attempt(first, [&] { return is_there; });
  launch(add_number, kShape, first, a, kSize, 1.0);

  CHECK(cudaStreamQuery(first) == cudaErrorNotReady);
  CHECK(cudaStreamQuery(second) == cudaSuccess);
  is_there = true;
  CHECK(cudaStreamQuery(first) == cudaSuccess);

  download(a, first);
  CHECK(is_all(2.0));
}
