// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "../../../../core/types.hpp"
#include "../../../../datasets/dataset.hpp"
#include "../../../../datasets/select.hpp"
#include "../../../../distributed/thread_group.hpp"
#include "../../../../mlp/params/param_rules.hpp"
#include "../../../../mlp/training/rank_instances.hpp"
#include "../../../../mlp/training/train.hpp"
#include "../../../distributed/ranks.hpp"

namespace mlp::testing {

/// Longer than any training of a test takes, however busy the machine is.
inline constexpr double kRankDeadlineSeconds = 120.0;

/// Instances of each rank, as even as can be   [world_size]
inline std::vector<Index> even_shares(Index num_instances, int world_size) {
  std::vector<Index> sizes;
  for (int rank = 0; rank < world_size; ++rank) {
    sizes.push_back(num_instances * (rank + 1) / world_size -
                    num_instances * rank / world_size);
  }
  return sizes;
}

/// Instances of each rank, cut between slices   [world_size]
inline std::vector<Index> slice_shares(const Params& params,
                                       const FitOptions& options,
                                       Index num_instances, int world_size) {
  const Slices whole(
      num_instances,
      count_slices(topology_of(params), options,
                   has_mini_batches(params.solver), num_instances));
  std::vector<Index> sizes;
  for (int rank = 0; rank < world_size; ++rank) {
    const Slices own = whole.of_rank(rank, world_size);
    sizes.push_back(own.begin(own.size()));
  }
  return sizes;
}

/// What a training on ranks ended with.
struct RankTraining {
  std::vector<TrainedWeights> results;  ///< [world_size]
  std::vector<std::string> errors;      ///< [world_size], empty where none
};

/// Trains on threads as ranks.
///
/// \param sizes   instances of each rank   [world_size]
/// \param adjust  changes what one rank is given; may be empty
inline RankTraining train_on_ranks(
    const Params& params, const datasets::Dataset& data,
    const std::vector<Index>& sizes, const FitOptions& options = {},
    const std::function<void(int rank, Params&, FitOptions&)>& adjust = {}) {
  const auto world_size = static_cast<int>(sizes.size());
  distributed::ThreadGroup group(world_size, kRankDeadlineSeconds);
  RankTraining training;
  training.results.resize(sizes.size());
  training.errors = distributed::testing::run_ranks(world_size, [&](int rank) {
    const auto at = static_cast<std::size_t>(rank);
    const Index first =
        std::accumulate(sizes.begin(), sizes.begin() + rank, Index{0});
    const datasets::Dataset own = datasets::select_run(data, first, sizes[at]);
    Params own_params = params;
    FitOptions own_options = options;
    own_options.distribution.allreduce = &group.rank(rank);
    own_options.distribution.partition_sizes = data.partition_sizes;
    if (adjust) adjust(rank, own_params, own_options);
    try {
      training.results[at] =
          train(topology_of(own_params), own_params, own, own_options);
    } catch (...) {
      group.rank(rank).cancel("left");
      throw;
    }
  });
  return training;
}

}  // namespace mlp::testing
