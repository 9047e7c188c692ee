// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "cost_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace mlp::cuda {

namespace {

/// The driver starts, the context is made and cuBLAS is loaded.
constexpr double kStartSeconds = 0.5;

/// The host copies from pageable memory.
constexpr double kCopyBytesPerSecond = 10e9;
constexpr double kFastestCopyBytesPerSecond = 60e9;

/// Of a kernel in a graph, and of the read with which the host decides.
constexpr double kKernelSeconds = 3e-6;
constexpr double kReadSeconds = 15e-6;

/// What kernels reach of the peak rates.
constexpr double kShareOfPeak = 0.4;
constexpr double kShareOfBandwidth = 0.7;

/// A device must save this many seconds, and be this many times as fast.
constexpr double kSavedSeconds = 1.0;
constexpr double kRatio = 1.5;

/// One slow core with a network of a few units.
constexpr double kSlowCpuFlops = 1e9;

/// For a device that does not report its rates.
constexpr double kSlowClockHertz = 1e9;
constexpr double kSlowBytesPerSecond = 2e11;

/// The flops per cycle of one multiprocessor.
///
/// \source CUDA C++ Programming Guide, arithmetic instructions; the data sheets
///         of A100, A40, L40S, H100 and B200 for the tensor cores, dense
struct Rates {
  int major;
  int minor;
  double float64;
  double float32;
  double tensor_float32;
  double bfloat16;
};

/// In ascending order of the compute capability.
constexpr std::array<Rates, 6> kRates = {{
    {8, 0, 128, 128, 1024, 2048},
    {8, 6, 4, 256, 256, 512},
    {8, 9, 4, 256, 512, 1024},
    {9, 0, 256, 256, 2048, 4096},
    {10, 0, 128, 256, 4096, 8192},
    {10, 3, 4, 256, 512, 1024},
}};

const Rates& rates_of(const Device& device) {
  const Rates* found = kRates.data();
  for (const Rates& rates : kRates) {
    const bool is_older = rates.major < device.compute_capability_major ||
                          (rates.major == device.compute_capability_major &&
                           rates.minor <= device.compute_capability_minor);
    if (is_older) found = &rates;
  }
  return *found;
}

/// The weights that multiply inputs in layer k.
double num_products(const Topology& topology, Index k) {
  const auto product =
      static_cast<double>(topology.input_size(k) * topology.output_size(k));
  return topology.has_projection(k) ? 2.0 * product : product;
}

double sum_of_products(const Topology& topology) {
  double sum = 0.0;
  for (Index k = 0; k < topology.num_layers(); ++k) {
    sum += num_products(topology, k);
  }
  return sum;
}

double num_units(const Topology& topology) {
  double sum = 0.0;
  for (Index k = 0; k < topology.num_layers(); ++k) {
    sum += static_cast<double>(topology.output_size(k));
  }
  return sum;
}

/// The bytes of a number that products read.
double input_bytes(Precision precision) {
  if (precision == Precision::kFloat64) return 8.0;
  return precision == Precision::kBfloat16 ? 2.0 : 4.0;
}

/// How many vectors of the size of the weights a solver reads and writes.
double num_vectors(const Params& params) {
  constexpr double kOfAnyStep = 12.0;
  return params.solver == Solver::kLbfgs
             ? kOfAnyStep + 2.0 * static_cast<double>(params.history_size)
             : kOfAnyStep;
}

double count_evaluations(const Params& params, Index num_instances,
                         Index batch) {
  const auto iterations = static_cast<double>(params.max_iter);
  if (params.solver == Solver::kLbfgs) return 1.0 + 1.5 * iterations;
  if (!has_mini_batches(params.solver)) return 1.0 + iterations;
  return iterations * std::ceil(static_cast<double>(num_instances) /
                                static_cast<double>(batch));
}

}  // namespace

Work training_work(const Topology& topology, const Params& params,
                   Index num_instances, Precision precision) {
  const Index all = std::max<Index>(num_instances, 1);
  const Index batch = has_mini_batches(params.solver)
                          ? std::clamp<Index>(params.batch_size, 1, all)
                          : all;
  const auto num_features = static_cast<double>(topology.num_features());
  const double value_bytes = precision == Precision::kFloat64 ? 8.0 : 4.0;
  Work work;
  work.precision = precision;
  work.num_evaluations = count_evaluations(params, all, batch);
  work.instances_per_evaluation = static_cast<double>(batch);
  // Products forward, for the weights, and for the inputs of all but the first.
  work.flops_per_instance =
      2.0 * (3.0 * sum_of_products(topology) - num_products(topology, 0));
  // Features are read forward and backward; outputs and deltas are written and
  // read by the product, the activation and its derivative.
  work.bytes_per_instance = 2.0 * num_features * input_bytes(precision) +
                            8.0 * num_units(topology) * value_bytes;
  work.bytes_per_evaluation =
      8.0 * static_cast<double>(topology.num_weights()) * num_vectors(params);
  work.kernels_per_evaluation =
      10.0 + 8.0 * static_cast<double>(topology.num_layers());
  // A label is 4 bytes.
  work.copied_bytes = static_cast<double>(all) * (8.0 * num_features + 4.0);
  return work;
}

Work scoring_work(const Topology& topology, Index num_instances) {
  constexpr double kBytes = 8.0;
  const auto num_features = static_cast<double>(topology.num_features());
  const auto num_outputs = static_cast<double>(topology.num_classes());
  Work work;
  work.num_evaluations = 1.0;
  work.instances_per_evaluation = static_cast<double>(num_instances);
  work.flops_per_instance = 2.0 * sum_of_products(topology);
  work.bytes_per_instance = kBytes * (num_features + 4.0 * num_units(topology));
  work.bytes_per_evaluation =
      kBytes * static_cast<double>(topology.num_weights());
  work.kernels_per_evaluation =
      3.0 * static_cast<double>(topology.num_layers());
  work.copied_bytes = static_cast<double>(num_instances) * kBytes *
                      (num_features + num_outputs);
  return work;
}

bool is_worth_measuring(const Work& work) {
  return is_worthwhile(work.flops() / kSlowCpuFlops,
                       least_device_seconds(work));
}

double predict_cpu_seconds(const Work& work, double seconds_per_instance) {
  return work.num_evaluations * work.instances_per_evaluation *
         seconds_per_instance;
}

double predict_device_seconds(const Work& work, const Device& device) {
  const double bandwidth = device.memory_bytes_per_second > 0.0
                               ? device.memory_bytes_per_second
                               : kSlowBytesPerSecond;
  const double launches =
      work.kernels_per_evaluation * kKernelSeconds + kReadSeconds;
  const double arithmetic = work.instances_per_evaluation *
                            work.flops_per_instance /
                            (kShareOfPeak * peak_flops(device, work.precision));
  const double traffic =
      (work.instances_per_evaluation * work.bytes_per_instance +
       work.bytes_per_evaluation) /
      (kShareOfBandwidth * bandwidth);
  return kStartSeconds + work.copied_bytes / kCopyBytesPerSecond +
         work.num_evaluations * (launches + arithmetic + traffic);
}

double least_device_seconds(const Work& work) {
  return kStartSeconds + work.copied_bytes / kFastestCopyBytesPerSecond +
         work.num_evaluations * (work.kernels_per_evaluation * kKernelSeconds);
}

bool is_worthwhile(double cpu_seconds, double device_seconds) {
  return cpu_seconds >= kRatio * device_seconds &&
         cpu_seconds - device_seconds >= kSavedSeconds;
}

double peak_flops(const Device& device, Precision precision) {
  const Rates& rates = rates_of(device);
  const double per_cycle = precision == Precision::kFloat64   ? rates.float64
                           : precision == Precision::kFloat32 ? rates.float32
                           : precision == Precision::kTensorFloat32
                               ? rates.tensor_float32
                               : rates.bfloat16;
  const double clock =
      device.clock_hertz > 0.0 ? device.clock_hertz : kSlowClockHertz;
  return per_cycle * clock * device.num_multiprocessors;
}

}  // namespace mlp::cuda
