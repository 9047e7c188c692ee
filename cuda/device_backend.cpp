// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_backend.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "device_check.hpp"
#include "network/device_evaluator.hpp"
#include "network/layered_objective.hpp"

namespace mlp::cuda {

namespace {

/// Returns the name of a device that can be used.
std::string require_name(int device) {
  const DeviceReport report = find_devices();
  require_device(report, device, "");
  return "CUDA (" + report.devices[static_cast<std::size_t>(device)].name + ')';
}

}  // namespace

DeviceBackend::DeviceBackend(const BackendOptions& options,
                             const CublasFunctions& functions)
    : name_(require_name(options.device)),
      context_(std::make_unique<DeviceContext>(
          options.device, options.memory_limit_bytes, functions)) {}

std::unique_ptr<Evaluator> DeviceBackend::make_evaluator(
    const Topology& topology, Precision precision) const {
  DeviceContext& context = *context_;
  return make_device_evaluator(
      topology, precision, context,
      [topology, precision, &context](const InstanceRange& instances) {
        return make_layered_objective(topology, precision, instances, 0,
                                      context);
      });
}

std::unique_ptr<ScoringPlan> DeviceBackend::make_plan(
    const Topology& topology, const double* weights,
    Precision precision) const {
  return make_device_plan(topology, weights, precision, *context_);
}

std::unique_ptr<BatchEvaluator<double>> DeviceBackend::make_batch_evaluator(
    const Topology& topology, const FrozenLayers& frozen,
    std::type_identity<double> /*number*/) const {
  return make_device_batch_evaluator<double>(topology, frozen,
                                             Precision::kFloat64, *context_);
}

std::unique_ptr<BatchEvaluator<float>> DeviceBackend::make_batch_evaluator(
    const Topology& topology, const FrozenLayers& frozen,
    std::type_identity<float> /*number*/) const {
  return make_device_batch_evaluator<float>(topology, frozen,
                                            Precision::kFloat32, *context_);
}

const Backend& backend(const BackendOptions& options) {
  using Key = std::pair<int, std::size_t>;
  static std::mutex mutex;
  // Never destroyed: when static objects are, the driver may have ended.
  static auto& backends = *new std::map<Key, std::unique_ptr<DeviceBackend>>;
  const std::lock_guard<std::mutex> lock(mutex);
  auto& made = backends[{options.device, options.memory_limit_bytes}];
  if (!made) {
    made = std::make_unique<DeviceBackend>(options, cublas_functions());
  }
  return *made;
}

}  // namespace mlp::cuda
