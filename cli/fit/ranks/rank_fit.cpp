// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "rank_fit.hpp"

#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/files/atomic_file.hpp"
#include "../../../datasets/select.hpp"
#include "../../../distributed/thread_group.hpp"
#include "../../../distributed/timeline.hpp"
#include "../../../distributed/watched_allreduce.hpp"
#include "../../../mlp/instances/slices.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../../../mlp/training/rank_instances.hpp"
#include "../../../mlp/training/training_memory.hpp"
#include "rank_group.hpp"

namespace mlp::cli {

namespace {

/// Returns the rows of one rank. The ranks have equally many rows; a reproducible
/// training cuts between its slices.
datasets::Dataset cut_share(const Params& params, const datasets::Dataset& data,
                            const FitOptions& options,
                            const distributed::Allreduce& group) {
  const Index count = data.num_instances();
  if (!options.distribution.is_reproducible) {
    const Index begin = count * group.rank() / group.world_size();
    return datasets::view_run(
        data, begin, count * (group.rank() + 1) / group.world_size() - begin);
  }
  const Slices all(count, count_slices(topology_of(params), options,
                                       has_mini_batches(params.solver), count));
  const Slices own = all.of_rank(group.rank(), group.world_size());
  return datasets::view_run(data, own.first_instance(), own.begin(own.size()));
}

/// Fits on the rows of this rank.
Fit fit_own_share(const TrainingJob& job, TrainingInstances& data,
                  FitOptions& options, const distributed::Allreduce& group) {
  if (job.options.has_own_data()) return run_fit(job.params, data, options);
  options.distribution.partition_sizes = data.data().partition_sizes;
  const datasets::Dataset share =
      cut_share(job.params, data.data(), options, group);
  TrainingInstances instances = TrainingInstances::view(share);
  return run_fit(job.params, instances, options);
}

/// Gathers the timelines of all ranks in one text on rank 0.
void gather_timelines(const distributed::Timeline& timeline,
                      distributed::Allreduce& group, RankFit& fitted) try {
  std::ostringstream own;
  timeline.write(own);
  std::string events;
  for (const std::string& text : group.all_gather(own.str())) {
    // Each is a JSON array; the arrays become one.
    const std::size_t begin = text.find('[') + 1;
    if (!events.empty()) events += ',';
    events += text.substr(begin, text.rfind(']') - begin);
  }
  if (group.rank() == 0) fitted.timeline = '[' + events + "]\n";
} catch (const std::exception&) {
  fitted.timeline_failure = std::current_exception();
}

/// Sets how ranks exchange numbers, by the flags.
void set_exchange(const RankOptions& ranks, const Console& console,
                  Distribution& distribution) {
  distribution.plan = ranks.plan;
  distribution.is_autotuned = ranks.is_autotuned;
  distribution.may_round_gradients = ranks.plan.wire == WireType::kBfloat16;
  if (distribution.allreduce->rank() != 0) return;
  distribution.on_plan = [&console](const ExchangePlan& plan) {
    console.note("--autotune chose --exchange-plan '" +
                 format_exchange_plan(plan) + "'");
  };
}

/// Fits as one rank of a group.
RankFit fit_as_rank(const TrainingJob& job, TrainingInstances& data,
                    FitOptions options, distributed::Allreduce& group) {
  const Console& console = job.global.console;
  distributed::WatchedAllreduce watched(
      group, kStallSeconds,
      [&console](const std::string& report) { console.note(report); });
  options.distribution.allreduce = &watched;
  set_exchange(job.options.ranks, console, options.distribution);
  std::optional<distributed::Timeline> timeline;
  if (!job.options.ranks.timeline_file.empty()) {
    options.distribution.timeline = &timeline.emplace(watched.rank());
  }
  RankFit fitted{fit_own_share(job, data, options, watched), "", {}};
  if (timeline) gather_timelines(*timeline, watched, fitted);
  return fitted;
}

/// Rethrows why all ranks ended: the error of the rank that failed comes before the
/// errors of the ranks that lost it.
void rethrow_cause(const std::vector<std::exception_ptr>& failures) {
  std::exception_ptr lost;
  for (const std::exception_ptr& failure : failures) {
    if (!failure) continue;
    try {
      std::rethrow_exception(failure);
    } catch (const CommunicationError&) {
      if (!lost) lost = failure;
    }
  }
  if (lost) std::rethrow_exception(lost);
}

RankFit fit_on_threads(const TrainingJob& job, TrainingInstances& data,
                       const FitOptions& options) {
  const int world_size = job.options.ranks.num_ranks;
  check_training_memory(topology_of(job.params), job.params, options,
                        {data.num_instances() / world_size, false, world_size});
  distributed::ThreadGroup group(world_size, job.options.ranks.timeout_seconds);
  std::vector<std::exception_ptr> failures(
      static_cast<std::size_t>(world_size));
  std::optional<RankFit> result;
  const auto run_rank = [&](int rank) {
    try {
      FitOptions own = options;
      if (rank > 0) own.on_iteration = {};
      RankFit fitted = fit_as_rank(job, data, std::move(own), group.rank(rank));
      if (fitted.timeline_failure) group.rank(rank).cancel("has no timeline");
      if (rank == 0) result.emplace(std::move(fitted));
    } catch (const std::exception& error) {
      failures[static_cast<std::size_t>(rank)] = std::current_exception();
      group.rank(rank).leave(error);
    }
  };
  std::vector<std::thread> threads;
  try {
    for (int rank = 1; rank < world_size; ++rank) {
      threads.emplace_back(run_rank, rank);
    }
    run_rank(0);
  } catch (const std::exception& error) {
    failures.front() = std::make_exception_ptr(ResourceError(
        "could not start " + std::to_string(world_size) +
        " ranks as threads: " + error.what() + "; use fewer ranks"));
    group.rank(0).cancel("could not start the other ranks");
  }
  for (std::thread& thread : threads) thread.join();
  rethrow_cause(failures);
  return std::move(*result);
}

}  // namespace

bool needs_ranks(const TrainingJob& job) {
  const RankOptions& ranks = job.options.ranks;
  return job.group || ranks.num_ranks > 1 || !ranks.timeline_file.empty();
}

RankFit fit_on_ranks(const TrainingJob& job, TrainingInstances& data,
                     FitOptions options) {
  if (!job.group) return fit_on_threads(job, data, options);
  return fit_as_rank(job, data, std::move(options), *job.group);
}

void save_timeline(const RankFit& ranks, const std::string& file) {
  if (ranks.timeline_failure) std::rethrow_exception(ranks.timeline_failure);
  if (!ranks.timeline.empty()) {
    replace_file<ResourceError>(file, ranks.timeline);
  }
}

}  // namespace mlp::cli
