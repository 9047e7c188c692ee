// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "rank_evaluation.hpp"

#include <memory>

#include "../../cpu/cpu_backend.hpp"
#include "../../mlp/objective/training_objective.hpp"

namespace mlp::bench {
namespace {

InstanceRange own_instances(const distributed::Allreduce& group,
                            const Problem& problem) {
  const InstanceRange all = problem.instances();
  const Index begin = all.size * group.rank() / group.world_size();
  const Index end = all.size * (group.rank() + 1) / group.world_size();
  return all.slice(begin, end - begin, problem.topology.num_features(),
                   problem.topology.num_classes());
}

DistributedObjective::Parts make_parts(const Problem& problem,
                                       const InstanceRange& own) {
  DistributedObjective::Parts parts;
  parts.push_back(std::make_unique<TrainingObjective>(
      problem.topology, own, Execution{&cpu::backend()}));
  return parts;
}

Distribution over(distributed::Allreduce& group) {
  Distribution distribution;
  distribution.allreduce = &group;
  return distribution;
}

}  // namespace

RankEvaluation::RankEvaluation(distributed::Allreduce& group,
                               const Problem& problem)
    : problem_(problem),
      own_(own_instances(group, problem)),
      distribution_(over(group)),
      objective_(distribution_, make_parts(problem, own_),
                 problem.topology.num_weights(), 1.0 / group.world_size(),
                 stop_),
      gradient_(problem.topology.num_weights()) {}

void RankEvaluation::do_once(long) {
  loss_ = objective_.value_and_gradient(problem_.weights, gradient_);
}

std::vector<std::pair<std::string, double>> RankEvaluation::values() const {
  return {{"loss", loss_}, {"gradient_norm", gradient_.norm()}};
}

}  // namespace mlp::bench
