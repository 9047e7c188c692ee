// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_solvers.hpp"

#include <utility>

#include "batch_solver_on_device.hpp"
#include "gradient_descent_on_device.hpp"
#include "lbfgs_on_device.hpp"

namespace mlp::cuda {

namespace {

PenaltyTerms terms_of(const Penalty& penalty) {
  return {penalty.reg_param, penalty.clip_value, penalty.clip_norm};
}

FullProblem make_full_problem(const ResidentObjective& resident,
                              std::unique_ptr<DeviceObjective> objective,
                              std::shared_ptr<const Stream> stream) {
  FullProblem problem;
  problem.stream = std::move(stream);
  problem.objective = std::move(objective);
  problem.num_weights = resident.topology.num_weights();
  problem.ranges = resident.penalty.ranges;
  problem.penalty = terms_of(resident.penalty);
  problem.allreduce = resident.allreduce;
  problem.topology = resident.topology;
  problem.is_stopping = resident.is_stopping;
  return problem;
}

}  // namespace

std::unique_ptr<optim::LbfgsVectors> make_lbfgs_vectors(
    const ResidentObjective& resident,
    std::unique_ptr<DeviceObjective> objective,
    std::shared_ptr<const Stream> stream, Index history_size) {
  return std::make_unique<LbfgsOnDevice>(
      make_full_problem(resident, std::move(objective), std::move(stream)),
      history_size);
}

std::unique_ptr<optim::GradientDescentVectors> make_gradient_descent_vectors(
    const ResidentObjective& resident,
    std::unique_ptr<DeviceObjective> objective,
    std::shared_ptr<const Stream> stream) {
  return std::make_unique<GradientDescentOnDevice>(
      make_full_problem(resident, std::move(objective), std::move(stream)));
}

template <typename Number>
std::unique_ptr<BatchSolver> make_batch_solver(
    const ResidentObjective& resident,
    std::unique_ptr<DeviceBatchObjective<Number>> objective,
    std::shared_ptr<const Stream> stream, const BatchRule& rule) {
  BatchProblem<Number> problem;
  problem.stream = std::move(stream);
  problem.objective = std::move(objective);
  problem.num_weights = resident.topology.num_weights();
  problem.num_statistics = resident.topology.num_statistics();
  problem.ranges = resident.penalty.ranges;
  problem.penalty = terms_of(resident.penalty);
  problem.instances = resident.instances;
  problem.first_instance = resident.first_instance;
  problem.allreduce = resident.allreduce;
  problem.topology = resident.topology;
  problem.is_stopping = resident.is_stopping;
  return std::make_unique<BatchSolverOnDevice<Number>>(std::move(problem),
                                                       rule);
}

template std::unique_ptr<BatchSolver> make_batch_solver(
    const ResidentObjective&, std::unique_ptr<DeviceBatchObjective<double>>,
    std::shared_ptr<const Stream>, const BatchRule&);
template std::unique_ptr<BatchSolver> make_batch_solver(
    const ResidentObjective&, std::unique_ptr<DeviceBatchObjective<float>>,
    std::shared_ptr<const Stream>, const BatchRule&);

}  // namespace mlp::cuda
