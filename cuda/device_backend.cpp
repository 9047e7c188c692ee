// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_backend.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

#include "device_check.hpp"
#include "network/batch_objective.hpp"
#include "network/device_evaluator.hpp"
#include "network/layered_objective.hpp"
#include "solvers/batch_solver_on_device.hpp"
#include "solvers/gradient_descent_on_device.hpp"
#include "solvers/lbfgs_on_device.hpp"

namespace mlp::cuda {

namespace {

/// Returns the name of a device that can be used.
std::string require_name(int device) {
  const DeviceReport report = find_devices();
  require_device(report, device, "");
  return "CUDA (" + report.devices[static_cast<std::size_t>(device)].name + ')';
}

/// The vectors of a solver besides corrections: x, its gradient and others.
constexpr Index kSolverVectors = 8;
/// A history up to this size is allocated at once.
constexpr Index kFirstHistory = 10;

/// Returns the stream of a context, which lives as long as the stream is used.
std::shared_ptr<const Stream> stream_of(
    const std::shared_ptr<DeviceContext>& context) {
  return {context, &context->stream()};
}

std::size_t vector_bytes(const ResidentObjective& resident, Index num_vectors) {
  return static_cast<std::size_t>(resident.topology.num_weights() *
                                  num_vectors) *
         sizeof(double);
}

/// Returns how many vectors L-BFGS allocates for its history. While a long history
/// grows, one of its two arrays exists twice.
Index num_history_vectors(Index history_size) {
  return (history_size <= kFirstHistory ? 2 : 3) * history_size;
}

/// Makes the problem of a full-batch solver.
///
/// \param num_vectors  in double precision, that the solver will allocate
FullProblem make_problem(const ResidentObjective& resident, Index num_vectors,
                         const std::shared_ptr<DeviceContext>& context) {
  return {resident, stream_of(context),
          make_layered_objective(
              resident.topology, resident.precision, resident.instances,
              vector_bytes(resident, num_vectors), *context)};
}

template <typename Number>
std::unique_ptr<BatchSolver> make_solver_of(
    const ResidentObjective& resident, const BatchRule& rule,
    const std::shared_ptr<DeviceContext>& context) {
  BatchObjectiveSettings settings;
  settings.precision = resident.precision;
  settings.frozen = resident.frozen;
  settings.max_batch_size = resident.max_batch_size;
  settings.reserved_bytes = vector_bytes(resident, kSolverVectors);
  BatchProblem<Number> problem{
      resident, stream_of(context),
      make_batch_objective<Number>(resident.topology, settings,
                                   resident.instances, *context)};
  return std::make_unique<BatchSolverOnDevice<Number>>(std::move(problem),
                                                       rule);
}

}  // namespace

DeviceBackend::DeviceBackend(const BackendOptions& options,
                             const CublasFunctions& functions)
    : options_(options),
      functions_(functions),
      name_(require_name(options.device)),
      context_(std::make_unique<DeviceContext>(
          options.device, options.memory_limit_bytes, functions)) {}

std::shared_ptr<DeviceContext> DeviceBackend::make_context() const {
  return std::make_shared<DeviceContext>(
      options_.device, options_.memory_limit_bytes, functions_);
}

bool DeviceBackend::supports(Precision /*precision*/) const { return true; }

std::unique_ptr<optim::LbfgsVectors> DeviceBackend::make_lbfgs_vectors(
    const ResidentObjective& objective, Index history_size) const {
  return std::make_unique<LbfgsOnDevice>(
      make_problem(objective,
                   num_history_vectors(history_size) + kSolverVectors,
                   make_context()),
      history_size);
}

std::unique_ptr<optim::GradientDescentVectors>
DeviceBackend::make_gradient_descent_vectors(
    const ResidentObjective& objective) const {
  return std::make_unique<GradientDescentOnDevice>(
      make_problem(objective, kSolverVectors, make_context()));
}

std::unique_ptr<BatchSolver> DeviceBackend::make_batch_solver(
    const ResidentObjective& objective, const BatchRule& rule) const {
  return objective.precision == Precision::kFloat64
             ? make_solver_of<double>(objective, rule, make_context())
             : make_solver_of<float>(objective, rule, make_context());
}

GradientEvaluator DeviceBackend::make_gradient_evaluator(
    const Topology& topology, Precision precision) const {
  return make_device_evaluator(topology, precision, *context_);
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
