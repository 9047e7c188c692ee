// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/rank_instances.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "../backend/announcing_backend.hpp"
#include "support/rank_training.hpp"
#include "support/rings.hpp"

namespace mlp {

namespace {

using datasets::Dataset;
using namespace testing;

// Sums of some numbers near 1, in another order.
constexpr double kRounding = 1e-12;

// What such sums become over the iterations of a smooth problem.
constexpr double kPathTolerance = 1e-9;

constexpr Solver kFourSolvers[] = {Solver::kLbfgs, Solver::kGradientDescent,
                                   Solver::kSgd, Solver::kAdam};

Params params_of(Solver solver) {
  Params params = ring_params(solver, {2, 5, 3});
  params.max_iter = 6;
  params.batch_size = 16;
  params.block_size = 32;
  return params;
}

TrainedWeights train_alone(const Params& params, const Dataset& data,
                           const FitOptions& options = {}) {
  return train(topology_of(params), params, data, options);
}

/// Checks that all ranks ended alike, and as one rank alone up to rounding.
void check_equal(const RankTraining& ranks, const TrainedWeights& alone) {
  for (const std::string& error : ranks.errors) REQUIRE(error == "");
  for (const TrainedWeights& result : ranks.results) {
    CHECK(result.weights == ranks.results[0].weights);
    CHECK(result.summary.objective_history ==
          ranks.results[0].summary.objective_history);
    CHECK(result.summary.convergence_reason ==
          alone.summary.convergence_reason);
  }
  const auto& history = ranks.results[0].summary.objective_history;
  const auto& expected = alone.summary.objective_history;
  REQUIRE(history.size() == expected.size());
  CHECK(std::abs(history[0] - expected[0]) <= kRounding * expected[0]);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(std::abs(history[i] - expected[i]) <= kPathTolerance * expected[i]);
  }
}

/// Checks that all ranks ended with the bits of one rank alone.
void check_same_bits(const RankTraining& ranks, const TrainedWeights& alone) {
  for (const std::string& error : ranks.errors) REQUIRE(error == "");
  for (const TrainedWeights& result : ranks.results) {
    CHECK(result.weights == alone.weights);
    CHECK(result.summary.objective_history == alone.summary.objective_history);
  }
}

/// Three partitions, so that Spark's blocks cross the ranks' bounds.
Dataset make_data(Index size = 600) {
  Dataset data = make_rings(size);
  data.partition_sizes = {size / 2, size / 3, size - size / 2 - size / 3};
  return data;
}

Params with_block_size(Index block_size) {
  Params params = params_of(Solver::kLbfgs);
  params.block_size = block_size;
  return params;
}

/// objective_weights() of each rank.
std::vector<Vector> weights_on_ranks(const Params& params, const Dataset& data,
                                     const std::vector<Index>& sizes) {
  const auto world_size = static_cast<int>(sizes.size());
  distributed::ThreadGroup group(world_size, testing::kRankDeadlineSeconds);
  std::vector<Vector> weights(sizes.size());
  const auto errors =
      distributed::testing::run_ranks(world_size, [&](int rank) {
        const auto at = static_cast<std::size_t>(rank);
        const Index first =
            std::accumulate(sizes.begin(), sizes.begin() + rank, Index{0});
        const Dataset own = datasets::select_run(data, first, sizes[at]);
        FitOptions options;
        options.distribution.allreduce = &group.rank(rank);
        TrainingInstances viewed = TrainingInstances::view(own);
        weights[at] =
            RankInstances(viewed, topology_of(params), params, options)
                .objective_weights();
      });
  CHECK(errors == std::vector<std::string>(sizes.size()));
  return weights;
}

}  // namespace

TEST_SUITE("mlp/training/rank_instances") {
  TEST_CASE("follows the path of one rank with any number of ranks") {
    const Dataset data = make_data();
    for (const Solver solver : kFourSolvers) {
      CAPTURE(static_cast<int>(solver));
      const TrainedWeights alone = train_alone(params_of(solver), data);
      for (int world_size = 1; world_size <= 4; ++world_size) {
        CAPTURE(world_size);
        check_equal(train_on_ranks(params_of(solver), data,
                                   even_shares(600, world_size)),
                    alone);
      }
    }
  }

  TEST_CASE("takes ranks with one instance and with none") {
    const Dataset data = make_data();
    for (const Solver solver : kFourSolvers) {
      CAPTURE(static_cast<int>(solver));
      const TrainedWeights alone = train_alone(params_of(solver), data);

      check_equal(train_on_ranks(params_of(solver), data, {0, 599, 1}), alone);
      check_equal(train_on_ranks(params_of(solver), data, {600, 0, 0}), alone);
    }
  }

  TEST_CASE("weighs instances and classes as one rank does") {
    Dataset data = make_data();
    data.weights = Vector::LinSpaced(600, 0.0, 3.0);
    for (const Solver solver : kFourSolvers) {
      CAPTURE(static_cast<int>(solver));
      Params params = params_of(solver);
      params.class_weights = {1.0, 0.5, 2.0};
      const TrainedWeights alone = train_alone(params, data);

      check_equal(train_on_ranks(params, data, {250, 350}), alone);
    }
  }

  TEST_CASE("drops out the same units on any number of ranks") {
    const Dataset data = make_data();
    Params params = params_of(Solver::kSgd);
    params.dropout = {0.5};
    const TrainedWeights alone = train_alone(params, data);

    check_equal(train_on_ranks(params, data, {250, 350}), alone);
  }

  TEST_CASE("trains in single precision") {
    const Dataset data = make_data();
    FitOptions options;
    options.precision = Precision::kFloat32;
    const RankTraining ranks =
        train_on_ranks(params_of(Solver::kAdam), data, {250, 350}, options);

    CHECK(ranks.errors == std::vector<std::string>(2));
    CHECK(ranks.results[0].weights == ranks.results[1].weights);
  }

  TEST_CASE("has the same bits on any number of ranks where asked to") {
    const Dataset data = make_data(5000);
    FitOptions options;
    options.distribution.is_reproducible = true;
    for (const Solver solver : kFourSolvers) {
      CAPTURE(static_cast<int>(solver));
      Params params = params_of(solver);
      params.max_iter = 3;
      params.batch_size = 500;
      const TrainedWeights alone = train_alone(params, data, options);
      for (int world_size = 1; world_size <= 4; ++world_size) {
        CAPTURE(world_size);
        const auto sizes = slice_shares(params, options, 5000, world_size);

        check_same_bits(train_on_ranks(params, data, sizes, options), alone);
      }
    }
  }
}

TEST_SUITE("mlp/rank_instances weights") {
  TEST_CASE("averages the blocks of all ranks where nothing weighs") {
    Dataset data = make_rings(5);
    const Params params = with_block_size(2);

    CHECK(weights_on_ranks(params, data, {5}) ==
          std::vector<Vector>{block_weights({5}, 2)});
    CHECK(weights_on_ranks(params, data, {3, 2}) ==
          std::vector<Vector>{block_weights({5}, 2).head(3),
                              block_weights({5}, 2).tail(2)});
  }

  TEST_CASE("divides weights by the sum of all ranks") {
    Dataset data = make_rings(4);
    data.weights.resize(4);
    data.weights << 1, 2, 0, 1;
    Vector expected(4);
    expected << 0.25, 0.5, 0.0, 0.25;

    CHECK(weights_on_ranks(with_block_size(3), data, {4}) ==
          std::vector<Vector>{expected});
    CHECK(weights_on_ranks(with_block_size(3), data, {1, 3}) ==
          std::vector<Vector>{expected.head(1), expected.tail(3)});
  }
}

TEST_SUITE("mlp/rank_instances exchange") {
  TEST_CASE("trains to the same bits where gradients are sent as they come") {
    const Dataset data = make_data();
    const testing::AnnouncingBackend backend;
    FitOptions options;
    options.backend = &backend;
    options.distribution.plan.bucket_bytes = 0;
    for (int world_size = 2; world_size <= 4; ++world_size) {
      CAPTURE(world_size);
      const auto sizes = even_shares(600, world_size);
      const Params params = params_of(Solver::kAdam);
      const RankTraining whole = train_on_ranks(params, data, sizes, options);
      FitOptions cut = options;
      cut.distribution.plan.bucket_bytes = 64;

      check_same_bits(train_on_ranks(params, data, sizes, cut),
                      whole.results[0]);
    }
  }

  TEST_CASE("rounds gradients to the same bits on all ranks") {
    FitOptions options;
    for (const WireType wire : {WireType::kFloat16, WireType::kBfloat16}) {
      for (const Precision precision :
           {Precision::kFloat64, Precision::kFloat32}) {
        options.precision = precision;
        options.distribution.plan = {32, wire, 2};
        const RankTraining ranks = train_on_ranks(
            params_of(Solver::kSgd), make_data(), {200, 0, 400}, options);

        check_same_bits(ranks, ranks.results[0]);
      }
    }
  }

  TEST_CASE("tells every rank of the plan that it chose while it trained") {
    const Dataset data = make_data();
    std::vector<std::string> plans(3);
    FitOptions options;
    options.distribution.is_autotuned = true;
    options.distribution.may_round_gradients = true;
    const RankTraining ranks = train_on_ranks(
        params_of(Solver::kSgd), data, {200, 200, 200}, options,
        [&](int rank, Params&, FitOptions& own) {
          own.num_threads = rank + 1;
          own.distribution.on_plan = [&plans, rank](const ExchangePlan& plan) {
            plans[static_cast<std::size_t>(rank)] = format_exchange_plan(plan);
          };
        });

    check_same_bits(ranks, ranks.results[0]);
    CHECK(plans[0].find("bucketBytes=0 wire=") == 0);
    CHECK(plans == std::vector<std::string>(3, plans[0]));
  }

  TEST_CASE("records spans of each kind for each solver") {
    for (const Solver solver : kFourSolvers) {
      CAPTURE(static_cast<int>(solver));
      distributed::Timeline timeline(1);
      const RankTraining ranks =
          train_on_ranks(params_of(solver), make_data(), {300, 300}, {},
                         [&](int rank, Params&, FitOptions& options) {
                           if (rank == 0) return;
                           options.distribution.timeline = &timeline;
                         });

      CHECK(ranks.errors == std::vector<std::string>(2));
      std::set<std::string> names;
      for (const auto& span : timeline.spans()) names.insert(span.name);
      CHECK(names == std::set<std::string>{"compute", "sum", "wait"});
    }
  }

  TEST_CASE("tells all ranks of one that fails in the middle of a gradient") {
    const testing::AnnouncingBackend good;
    const testing::AnnouncingBackend bad(5);
    FitOptions options;
    options.backend = &good;
    options.distribution.plan.bucket_bytes = 64;
    const RankTraining ranks =
        train_on_ranks(params_of(Solver::kSgd), make_data(), {200, 200, 200},
                       options, [&](int rank, Params&, FitOptions& own) {
                         if (rank == 1) own.backend = &bad;
                       });

    CHECK(ranks.errors ==
          std::vector<std::string>{"rank 1: failed in step 6: a bad row",
                                   "a bad row",
                                   "rank 1: failed in step 6: a bad row"});
  }
}

TEST_SUITE("mlp/rank_instances refusals") {
  TEST_CASE("names the first option that differs, on all ranks") {
    const RankTraining ranks =
        train_on_ranks(params_of(Solver::kLbfgs), make_data(), {300, 200, 100},
                       {}, [](int rank, Params& params, FitOptions&) {
                         if (rank == 2) params.max_iter = 7;
                       });

    for (const std::string& error : ranks.errors) {
      CHECK(error ==
            "rank 2: has 'maxIter 7', but rank 0 has 'maxIter 6'; give every "
            "rank the same options and the same version");
    }
  }

  TEST_CASE("passes on why a rank cannot train, and keeps its own error") {
    Dataset data = make_data();
    data.labels[400] = 9.0;
    const RankTraining ranks =
        train_on_ranks(params_of(Solver::kLbfgs), data, {300, 300});

    CHECK(ranks.errors[1] ==
          "labels must be the integers 0..2 for layers [2, 5, 3]; instance 100 "
          "has label 9");
    CHECK(ranks.errors[0] == "rank 1: cannot train: " + ranks.errors[1]);
  }

  TEST_CASE("rejects shares that are not cut between slices") {
    FitOptions options;
    options.distribution.is_reproducible = true;
    const RankTraining ranks = train_on_ranks(
        params_of(Solver::kLbfgs), make_data(5000), {100, 4900}, options);

    CHECK(ranks.errors[0].find("a reproducible training must cut the instances "
                               "between the slices of its sums") == 0);
  }

  TEST_CASE("names the exchange that differs") {
    const auto errors_where = [](const auto& change) {
      return train_on_ranks(params_of(Solver::kSgd), make_data(), {300, 300},
                            {},
                            [&](int rank, Params&, FitOptions& options) {
                              if (rank == 1) change(options.distribution);
                            })
          .errors[0];
    };

    CHECK(errors_where([](Distribution& own) { own.plan.bucket_bytes = 9; })
              .find("rank 1: has 'exchange bucketBytes=9 wire=asComputed "
                    "threads=0', but rank 0 has 'exchange bucketBytes=") == 0);
    CHECK(errors_where([](Distribution& own) { own.is_autotuned = true; })
              .find("rank 1: has 'autotune true', but rank 0 has 'autotune "
                    "false'") == 0);
  }

  TEST_CASE("rejects autotuning of a reproducible training") {
    FitOptions options;
    options.distribution.is_reproducible = true;
    options.distribution.is_autotuned = true;

    const RankTraining ranks = train_on_ranks(params_of(Solver::kSgd),
                                              make_data(), {300, 300}, options);

    CHECK(ranks.errors[1].find("autotune must be off with reproducible") == 0);
  }

  TEST_CASE("rejects an empty training") {
    const Dataset data = make_data();
    CHECK(train_on_ranks(params_of(Solver::kLbfgs), data, {0, 0}).errors[1] ==
          "training needs at least 1 instance; all ranks have 0");
  }

  TEST_CASE("rejects batch normalisation over ranks") {
    Params params = params_of(Solver::kSgd);
    params.batch_norm = {true};
    const RankTraining ranks = train_on_ranks(params, make_data(), {300, 300});

    CHECK(
        ranks.errors[0].find("batchNorm must be off with reproducible, and if "
                             "several ranks train by mini-batches") == 0);
  }

  TEST_CASE("rejects batch normalisation where slices cut the mini-batches") {
    Params params = params_of(Solver::kSgd);
    params.batch_norm = {true};
    FitOptions options;
    options.distribution.is_reproducible = true;

    CHECK_THROWS_WITH_AS(
        train_alone(params, make_data(), options),
        "batchNorm must be off with reproducible, and if several ranks train "
        "by mini-batches; got a network with batch normalisation, which needs "
        "the statistics of a whole mini-batch; train it on one rank, without "
        "reproducible",
        ParamError);
  }

  TEST_CASE("rejects partitions that are not those of all ranks") {
    Dataset data = make_data();
    data.partition_sizes = {300, 200};
    for (const std::vector<Index>& sizes :
         {std::vector<Index>{600}, std::vector<Index>{300, 300}}) {
      CHECK(train_on_ranks(params_of(Solver::kLbfgs), data, sizes).errors[0] ==
            "partition sizes must be >= 0 and sum to the 600 instances; got "
            "[300, 200]");
    }
  }

  TEST_CASE("rejects such partitions with weights, and with mini-batches") {
    Dataset data = make_data();
    data.partition_sizes = {300, 200};
    Dataset weighted = data;
    weighted.weights = Vector::Ones(600);
    const std::string sentence =
        "partition sizes must be >= 0 and sum to the 600 instances; got "
        "[300, 200]";

    CHECK(
        train_on_ranks(params_of(Solver::kLbfgs), weighted, {600}).errors[0] ==
        sentence);
    CHECK(train_on_ranks(params_of(Solver::kSgd), data, {300, 300}).errors[1] ==
          sentence);
  }
}

TEST_SUITE("mlp/rank_instances stops") {
  TEST_CASE("stops all ranks where the caller of one of them wants it") {
    const Dataset data = make_data();
    for (const Solver solver : kFourSolvers) {
      CAPTURE(static_cast<int>(solver));
      const RankTraining ranks = train_on_ranks(
          params_of(solver), data, {300, 300}, {},
          [](int rank, Params&, FitOptions& options) {
            if (rank == 0) return;
            options.on_iteration = [](const optim::Iteration& iteration) {
              return iteration.iteration < 2;
            };
          });

      CHECK(ranks.errors == std::vector<std::string>(2));
      for (const TrainedWeights& result : ranks.results) {
        CHECK(result.summary.convergence_reason ==
              optim::ConvergenceReason::kStoppedByCallback);
        CHECK(result.summary.objective_history.size() == 3);
      }
      CHECK(ranks.results[0].weights == ranks.results[1].weights);
    }
  }
}

}  // namespace mlp
