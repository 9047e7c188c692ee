// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/distributed_mini_batch.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../../../distributed/thread_group.hpp"
#include "../../../mlp/network/initial_weights.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "announcing_backend.hpp"
#include "rank_training.hpp"
#include "rings.hpp"

namespace mlp {

namespace {

using testing::even_parts;

// What other orders of some additions change, of numbers near 1.
constexpr double kRounding = 1e-13;

Params make_params() {
  Params params;
  params.layers = {2, 6, 4, 3};
  params.solver = Solver::kSgd;
  params.dropout = {0.3, 0.0};
  return params;
}

/// A mini-batch that lies mostly in the middle of 40 instances.
const std::vector<Index> kBatch{20, 3, 21, 19, 38, 22, 18};

struct Computed {
  double value = 0.0;
  Vector gradient;
};

/// What each rank gets for kBatch.
std::vector<Computed> compute(const datasets::Dataset& data, int world_size,
                              const FitOptions& given = {},
                              const Params& params = make_params()) {
  const Topology topology = topology_of(params);
  const Vector weights = draw_initial_weights(topology, 5);
  const std::vector<Index> sizes = even_parts(40, world_size);
  std::vector<Computed> results(sizes.size());
  distributed::ThreadGroup group(world_size, testing::kRankDeadlineSeconds);
  const auto errors =
      distributed::testing::run_ranks(world_size, [&](int rank) {
        const auto at = static_cast<std::size_t>(rank);
        const datasets::Dataset own =
            datasets::select_run(data, 40 * rank / world_size, sizes[at]);
        FitOptions options = given;
        options.distribution.allreduce = &group.rank(rank);
        const RankInstances part(own, topology, params, options);
        ThreadPool pool(1);
        DistributedMiniBatch<double> gradient(topology, params, options, part,
                                              pool);
        results[at].gradient.resize(topology.num_weights());
        results[at].value =
            gradient.compute({0, kBatch, 99}, weights.data(), nullptr,
                             results[at].gradient.data());
      });
  CHECK(errors == std::vector<std::string>(sizes.size()));
  return results;
}

void check_equal_on_ranks(const datasets::Dataset& data) {
  const Params params = make_params();
  const Topology topology = topology_of(params);
  const TrainingInstances instances(data, topology, params);
  ThreadPool pool(1);
  LocalMiniBatchGradient<double> local(topology, params, {}, instances.range(),
                                       pool);
  Vector expected(topology.num_weights());
  const double value =
      local.compute({0, kBatch, 99}, draw_initial_weights(topology, 5).data(),
                    nullptr, expected.data());
  for (int world_size = 1; world_size <= 5; ++world_size) {
    for (const Computed& result : compute(data, world_size)) {
      CHECK(std::abs(result.value - value) <= kRounding);
      CHECK((result.gradient - expected).lpNorm<Eigen::Infinity>() <=
            kRounding);
    }
  }
}

/// Options of ranks that exchange gradients by a plan, while they come.
FitOptions options_of(const ExchangePlan& plan) {
  static const testing::AnnouncingBackend backend;
  FitOptions options;
  options.backend = &backend;
  options.distribution.plan = plan;
  return options;
}

}  // namespace

TEST_SUITE("mlp/training/distributed_mini_batch") {
  TEST_CASE(
      "equals one rank's mini-batch with dropout on any number of ranks") {
    check_equal_on_ranks(testing::make_rings(40));
  }

  TEST_CASE("divides by the weights of all ranks") {
    datasets::Dataset data = testing::make_rings(40);
    data.weights = Vector::LinSpaced(40, 0.0, 2.0);

    check_equal_on_ranks(data);
  }

  TEST_CASE("gives 0 where no instance of the mini-batch counts") {
    datasets::Dataset data = testing::make_rings(40);
    data.weights = Vector::Zero(40);
    data.weights[0] = 1.0;
    for (const Computed& result : compute(data, 2)) {
      CHECK(result.value == 0.0);
      CHECK(result.gradient.isZero(0.0));
    }
  }

  TEST_CASE("chooses what lies in a run and knows the places of it") {
    MiniBatchShare share;
    share.choose({0, kBatch, 4}, 19, 3, 10);

    const MiniBatch batch = share.batch({0, kBatch, 4});

    CHECK(std::vector<Index>(batch.instances.begin(), batch.instances.end()) ==
          std::vector<Index>{10, 11, 9});
    CHECK(std::vector<Index>(batch.places.begin(), batch.places.end()) ==
          std::vector<Index>{0, 2, 3});
    CHECK(batch.divisor == 7.0);
  }
}

TEST_SUITE("mlp/distributed_mini_batch exchange") {
  TEST_CASE("has the bits of one sum where it sends while it computes") {
    const datasets::Dataset data = testing::make_rings(40);
    Params frozen = make_params();
    frozen.freeze = {1};
    for (const Params& params : {make_params(), frozen}) {
      for (int world_size = 1; world_size <= 4; ++world_size) {
        const auto expected =
            compute(data, world_size, options_of({0, {}, 0}), params);
        for (const Index bytes : {8, 56, 200, 400, 4096}) {
          CAPTURE(bytes);
          for (const Computed& result :
               compute(data, world_size, options_of({bytes, {}, 0}), params)) {
            CHECK(result.value == expected[0].value);
            CHECK(result.gradient == expected[0].gradient);
          }
        }
      }
    }
  }

  TEST_CASE("rounds the gradient alone, the same on all ranks") {
    const datasets::Dataset data = testing::make_rings(40);
    const auto exact = compute(data, 3);
    // Three terms and their sum are rounded by 2^-8 of them, and their sum may be
    // smaller than they are.
    constexpr double kRoundings = 8 * 0x1p-8;

    const auto rounded =
        compute(data, 3, options_of({64, WireType::kBfloat16, 1}));

    const double largest = exact[0].gradient.lpNorm<Eigen::Infinity>();
    for (const Computed& result : rounded) {
      CHECK(std::abs(result.value - exact[0].value) <= kRounding);
      CHECK(result.gradient == rounded[0].gradient);
      CHECK(result.gradient != exact[0].gradient);
      CHECK((result.gradient - exact[0].gradient).lpNorm<Eigen::Infinity>() <=
            kRoundings * largest);
    }
  }

  TEST_CASE("records computing, waiting and every sum") {
    distributed::Timeline timeline(0);
    FitOptions options = options_of({400, {}, 0});
    options.distribution.timeline = &timeline;
    compute(testing::make_rings(40), 1, options);

    std::vector<std::string> names;
    for (const auto& span : timeline.spans()) {
      CHECK(span.number == 1);
      CHECK(span.begin_seconds <= span.end_seconds);
      names.emplace_back(span.name);
    }

    CHECK(names == std::vector<std::string>{"compute", "sum", "sum", "wait"});
  }
}

}  // namespace mlp
