// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <vector>

#include "../../../cuda/runtime/cuda_check.hpp"
#include "../../../distributed/device_allreduce.hpp"

namespace mlp::testing {

/// A group of two ranks that do the same: every sum is twice the number.
class PairOfRanks final : public distributed::DeviceAllreduce {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int world_size() const override { return 2; }
  void sum(std::span<double> numbers) override {
    for (double& number : numbers) number *= 2.0;
  }
  void sum_on_device(double* numbers, std::size_t count,
                     void* stream) override {
    double_up(numbers, count, stream);
  }
  void sum_on_device(float* numbers, std::size_t count, void* stream) override {
    double_up(numbers, count, stream);
  }

  void wait(void* stream) override {
    ++num_waits;
    cuda::check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)),
                "cudaStreamSynchronize");
  }

  int num_sums = 0;
  int num_waits = 0;

 private:
  template <typename Number>
  void double_up(Number* numbers, std::size_t count, void* stream) {
    ++num_sums;
    std::vector<Number> host(count);
    const std::size_t bytes = count * sizeof(Number);
    auto* const queue = static_cast<cudaStream_t>(stream);
    cuda::check(cudaMemcpyAsync(host.data(), numbers, bytes,
                                cudaMemcpyDeviceToHost, queue),
                "cudaMemcpyAsync");
    cuda::check(cudaStreamSynchronize(queue), "cudaStreamSynchronize");
    for (Number& number : host) number *= 2;
    cuda::check(cudaMemcpyAsync(numbers, host.data(), bytes,
                                cudaMemcpyHostToDevice, queue),
                "cudaMemcpyAsync");
    cuda::check(cudaStreamSynchronize(queue), "cudaStreamSynchronize");
  }
};

}  // namespace mlp::testing
