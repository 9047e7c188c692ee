// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "rank_fit.hpp"

#include <exception>
#include <functional>
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
#include "../../../mlp/instances/leaves.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../../../mlp/regressor.hpp"
#include "../../../mlp/training/rank_instances.hpp"
#include "../../../mlp/training/training_memory.hpp"
#include "rank_group.hpp"

namespace mlp::cli {

namespace {

/// Fits, and lends the features to the fit. Later scores use the features as
/// trained: rounded, if the precision is float32.
RankFit fit(const Params& params, datasets::Dataset& data, FitOptions options) {
  options.lent_features = data.features.data();
  options.may_round_lent_features = true;
  try {
    return {params.task == Task::kRegression
                ? Regressor(params).fit(data, options)
                : Classifier(params).fit(data, options),
            std::nullopt,
            "",
            {}};
  } catch (const DivergedError& error) {
    return {error.result(), error, "", {}};
  }
}

/// The rows of one rank: as many as the others have, or cut between the leaves of
/// a reproducible training.
datasets::Dataset cut_share(const Params& params, const datasets::Dataset& data,
                            const FitOptions& options, int rank,
                            int world_size) {
  const Index count = data.num_instances();
  if (!options.distribution.is_reproducible) {
    const Index begin = count * rank / world_size;
    return datasets::select_run(data, begin,
                                count * (rank + 1) / world_size - begin);
  }
  const Leaves all(count, count_leaves(topology_of(params), options,
                                       has_mini_batches(params.solver), count));
  const Leaves own = all.of_rank(rank, world_size);
  return datasets::select_run(data, own.first_instance(),
                              own.begin(own.size()));
}

/// Fits on the rows of this rank.
RankFit fit_own_share(const Params& params, const TrainOptions& train,
                      datasets::Dataset& data, FitOptions& options,
                      const distributed::Allreduce& group) {
  if (train.has_own_data()) return fit(params, data, options);
  options.distribution.partition_sizes = data.partition_sizes;
  datasets::Dataset share =
      cut_share(params, data, options, group.rank(), group.world_size());
  return fit(params, share, options);
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
RankFit fit_as_rank(const Params& params, const TrainOptions& train,
                    datasets::Dataset& data, FitOptions options,
                    distributed::Allreduce& group, const Console& console) {
  distributed::WatchedAllreduce watched(
      group, kStallSeconds,
      [&console](const std::string& report) { console.note(report); });
  options.distribution.allreduce = &watched;
  set_exchange(train.ranks, console, options.distribution);
  std::optional<distributed::Timeline> timeline;
  if (!train.ranks.timeline_file.empty()) {
    options.distribution.timeline = &timeline.emplace(watched.rank());
  }
  RankFit fitted = fit_own_share(params, train, data, options, watched);
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

RankFit fit_on_threads(const Params& params, const TrainOptions& train,
                       TrainingData& data, const FitOptions& options,
                       const Console& console) {
  const int world_size = train.ranks.num_ranks;
  check_training_memory(topology_of(params), params, options,
                        data.train.num_instances() / world_size, world_size);
  distributed::ThreadGroup group(world_size, train.ranks.timeout_seconds);
  std::vector<std::exception_ptr> failures(
      static_cast<std::size_t>(world_size));
  std::optional<RankFit> result;
  const auto run = [&](int rank) {
    try {
      FitOptions own = options;
      if (rank > 0) own.on_iteration = {};
      RankFit fitted = fit_as_rank(params, train, data.train, std::move(own),
                                   group.rank(rank), console);
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
      threads.emplace_back(run, rank);
    }
    run(0);
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

RankFit fit_on_ranks(const Params& params, const TrainOptions& train,
                     TrainingData& data, FitOptions options,
                     distributed::Allreduce* group, const Console& console) {
  options.distribution.is_reproducible = train.ranks.is_reproducible;
  if (group) {
    return fit_as_rank(params, train, data.train, std::move(options), *group,
                       console);
  }
  if (train.ranks.num_ranks > 1 || !train.ranks.timeline_file.empty()) {
    return fit_on_threads(params, train, data, options, console);
  }
  return fit(params, data.train, options);
}

void save_timeline(const RankFit& ranks, const std::string& file) {
  if (ranks.timeline_failure) std::rethrow_exception(ranks.timeline_failure);
  if (!ranks.timeline.empty()) {
    replace_file<ResourceError>(file, ranks.timeline);
  }
}

}  // namespace mlp::cli
