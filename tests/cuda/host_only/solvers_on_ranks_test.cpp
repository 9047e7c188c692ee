// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Solvers on several ranks with an emulated device each.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "../../../cuda/solvers/lbfgs_on_device.hpp"
#include "../../../optim/lbfgs/lbfgs.hpp"
#include "../nccl/nccl_ranks.hpp"
#include "quartic.hpp"

namespace mlp::cuda {

namespace {

using optim::ConvergenceReason;
using testing::kQuarticSize;

// The ranks add shares that one rank adds at once.
constexpr double kRounding = 1e-10;

struct Run {
  optim::Summary summary;
  Vector x = Vector::LinSpaced(kQuarticSize, -1.0, 2.0);
};

/// A problem of a rank: each has another share of the objective.
FullProblem problem_of(NcclAllreduce& group, const Stream& stream,
                       bool is_capturable, int& num_added) {
  const int num_ranks = group.world_size();
  const double share = 2.0 * (group.rank() + 1) / num_ranks / (num_ranks + 1);
  FullProblem problem =
      testing::quartic_problem(stream, is_capturable, num_added, share);
  problem.resident.allreduce = &group;
  problem.resident.topology = Topology({2, 500});
  return problem;
}

Run minimise(FullProblem problem,
             const optim::IterationCallback& callback = {}) {
  Run run;
  LbfgsOnDevice vectors(std::move(problem), 5);
  const optim::LbfgsOptions options{12, 0.0, 5};
  run.summary = optim::Lbfgs(vectors, options, callback).minimize(run.x);
  return run;
}

/// What each rank ended with.
std::vector<Run> minimise_on_ranks(int num_ranks, bool is_capturable) {
  std::vector<Run> runs(static_cast<std::size_t>(num_ranks));
  const auto outcomes =
      with_nccl_ranks(num_ranks, {}, [&](NcclAllreduce& group) {
        const Stream stream;
        int num_added = 0;
        runs[static_cast<std::size_t>(group.rank())] =
            minimise(problem_of(group, stream, is_capturable, num_added));
      });
  CHECK(distributed::sentences(outcomes) == "");
  return runs;
}

TEST_SUITE("cuda/solvers on ranks") {
  TEST_CASE("follow the path of one rank with the same bits on all") {
    const Stream stream;
    int num_added = 0;
    const Run alone =
        minimise(testing::quartic_problem(stream, true, num_added));
    for (const int num_ranks : {1, 2, 3}) {
      for (const bool is_capturable : {false, true}) {
        CAPTURE(num_ranks);
        const std::vector<Run> runs =
            minimise_on_ranks(num_ranks, is_capturable);

        const auto& history = runs[0].summary.objective_history;
        REQUIRE(history.size() == alone.summary.objective_history.size());
        for (std::size_t i = 0; i < history.size(); ++i) {
          CHECK(std::abs(history[i] - alone.summary.objective_history[i]) <
                kRounding * alone.summary.objective_history[0]);
        }
        for (const Run& run : runs) {
          CHECK(run.x == runs[0].x);
          CHECK(run.summary.objective_history == history);
          CHECK(run.summary.evaluations == alone.summary.evaluations);
        }
      }
    }
  }

  TEST_CASE("stop on all ranks if one is to stop") {
    std::vector<Run> runs(3);
    const auto outcomes = with_nccl_ranks(3, {}, [&](NcclAllreduce& group) {
      const Stream stream;
      int num_added = 0;
      bool is_stopping = false;
      FullProblem problem = problem_of(group, stream, true, num_added);
      problem.resident.is_stopping = [&] { return is_stopping; };
      const auto callback = [&](const optim::Iteration& iteration) {
        is_stopping = group.rank() == 1 && iteration.iteration == 4;
        return true;
      };
      runs[static_cast<std::size_t>(group.rank())] =
          minimise(std::move(problem), callback);
    });

    CHECK(distributed::sentences(outcomes) == "");
    for (const Run& run : runs) {
      CHECK(run.summary.convergence_reason ==
            ConvergenceReason::kStoppedByCallback);
      CHECK(run.summary.total_iterations() == 4);
      CHECK(run.x == runs[0].x);
    }
  }
}

}  // namespace

}  // namespace mlp::cuda
