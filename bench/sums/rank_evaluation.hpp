// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../../core/types.hpp"
#include "../../distributed/allreduce.hpp"
#include "../../mlp/objective/distributed_objective.hpp"
#include "../worker/problem.hpp"
#include "rank_work.hpp"

namespace mlp::bench {

/// One value-and-gradient evaluation of the training objective over the ranks, of
/// which each has its share of the rows and one thread.
class RankEvaluation final : public RankWork {
 public:
  /// \param group    must outlive this object
  /// \param problem  of all ranks; must outlive this object
  RankEvaluation(distributed::Allreduce& group, const Problem& problem);

  void do_once(long i) override;

  [[nodiscard]] std::vector<std::pair<std::string, double>> values()
      const override;

 private:
  const Problem& problem_;
  InstanceRange own_;
  Distribution distribution_;
  optim::StopRequest stop_;
  DistributedObjective objective_;
  Vector gradient_;
  double loss_ = 0.0;
};

}  // namespace mlp::bench
