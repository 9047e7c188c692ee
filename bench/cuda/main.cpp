// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The worker of the benchmarks on an NVIDIA device; device_goals.py starts it.

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <string>

#include "../../cuda/devices.hpp"
#include "../worker/problem.hpp"
#include "../worker/worker.hpp"
#include "device_evaluation.hpp"

namespace {

using mlp::bench::Arguments;
using mlp::bench::word_argument;

constexpr int kSkipped = 77;

/// Prints the device and the versions of the measurements.
void describe(const mlp::cuda::DeviceReport& report) {
  const mlp::cuda::Device& device = report.devices.front();
  std::cout << "{\"device\": \"" << device.name
            << "\", \"compute capability\": \""
            << device.compute_capability_major << '.'
            << device.compute_capability_minor
            << "\", \"multiprocessors\": " << device.num_multiprocessors
            << ", \"memory_bytes\": " << device.total_bytes
            << ", \"driver\": \"" << report.driver_version
            << "\", \"runtime\": \"" << report.runtime_version << "\"}"
            << std::endl;
}

int run(const Arguments& words) {
  const std::string name = word_argument(words, 0, "TASK");
  const Arguments arguments(words.begin() + 1, words.end());
  if (name == "write_problem") return mlp::bench::write_problem(arguments), 0;
  constexpr std::array kTasks = {"describe", "evaluation", "once", "products"};
  if (std::find(kTasks.begin(), kTasks.end(), name) == kTasks.end()) {
    std::cerr << "mlp_cuda_bench: expected evaluation, products or once with "
                 "LAYERS INSTANCES f64|f32|tf32|bf16, write_problem LAYERS "
                 "INSTANCES FOLDER, or describe; got "
              << name << '\n';
    return 2;
  }
  const mlp::cuda::DeviceReport report = mlp::cuda::find_devices();
  if (!report.refusal.empty()) {
    std::cerr << "mlp_cuda_bench: " << report.refusal << '\n';
    return kSkipped;
  }
  if (name == "describe") return describe(report), 0;
  if (name == "products") return mlp::bench::print_products(arguments), 0;
  if (name == "once") return mlp::bench::run_evaluation(arguments), 0;
  mlp::bench::serve(*mlp::bench::make_device_evaluation(arguments));
  return 0;
}

}  // namespace

int main(int num_words, char** words) {
  return mlp::bench::run_program("mlp_cuda_bench", num_words, words, &run);
}
