// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/mini_batch_gradient.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "../../../distributed/identity.hpp"
#include "../../../distributed/thread_group.hpp"
#include "../../../mlp/network/initial_weights.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../backend/announcing_backend.hpp"
#include "support/rank_training.hpp"
#include "support/rings.hpp"
#include "support/started_run.hpp"

namespace mlp {

namespace {

using testing::even_shares;

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
  const std::vector<Index> sizes = even_shares(40, world_size);
  std::vector<Computed> results(sizes.size());
  distributed::ThreadGroup group(world_size, testing::kRankDeadlineSeconds);
  const auto errors =
      distributed::testing::run_ranks(world_size, [&](int rank) {
        const auto at = static_cast<std::size_t>(rank);
        const datasets::Dataset own =
            datasets::select_run(data, 40 * rank / world_size, sizes[at]);
        FitOptions options = given;
        options.distribution.allreduce = &group.rank(rank);
        if (rank > 0) options.distribution.timeline = nullptr;
        const testing::StartedRun started(topology, params, options, own);
        MiniBatchGradient<double> gradient(started.run());
        results[at].gradient.resize(topology.num_weights());
        results[at].value =
            gradient.compute({0, kBatch, 99}, weights.data(), nullptr,
                             results[at].gradient.data());
      });
  CHECK(errors == std::vector<std::string>(sizes.size()));
  return results;
}

/// What the backend gives for kBatch of all instances, without any group.
Computed compute_here(const datasets::Dataset& data) {
  const Params params = make_params();
  const Topology topology = topology_of(params);
  const PreparedInstances instances(data, topology, params);
  const auto evaluator = reference_backend().make_batch_evaluator(
      topology, {}, std::type_identity<double>{});
  evaluator->bind(instances.range());
  ThreadPool pool(1);
  Computed result;
  result.gradient.resize(topology.num_weights());
  result.value = evaluator->value_and_gradient(
      {kBatch, 99}, draw_initial_weights(topology, 5).data(), nullptr,
      result.gradient.data(), pool);
  return result;
}

void check_equal_on_ranks(const datasets::Dataset& data) {
  const Computed expected = compute_here(data);
  const Computed alone = compute(data, 1).front();
  CHECK(alone.value == expected.value);
  CHECK(alone.gradient == expected.gradient);
  for (int world_size = 2; world_size <= 5; ++world_size) {
    for (const Computed& result : compute(data, world_size)) {
      CHECK(std::abs(result.value - expected.value) <= kRounding);
      CHECK((result.gradient - expected.gradient).lpNorm<Eigen::Infinity>() <=
            kRounding);
    }
  }
}

/// True if a step of these options is interrupted.
///
/// \param is_requested  asks for it
bool is_interrupted(const FitOptions& options, bool is_requested) {
  const datasets::Dataset data = testing::make_rings(40);
  const Params params = make_params();
  const Topology topology = topology_of(params);
  const testing::StartedRun started(topology, params, options, data);
  MiniBatchGradient<double> gradient(started.run());
  if (is_requested) started.run().stop.request();
  const Vector weights = draw_initial_weights(topology, 5);
  Vector result(topology.num_weights());
  try {
    gradient.compute({0, kBatch, 0}, weights.data(), nullptr, result.data());
  } catch (const optim::Interrupted&) {
    return true;
  }
  return false;
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

TEST_SUITE("mlp/training/mini_batch_gradient") {
  TEST_CASE("equals what the backend computes on any number of ranks") {
    check_equal_on_ranks(testing::make_rings(40));
  }

  TEST_CASE("divides by the weights of all ranks") {
    datasets::Dataset data = testing::make_rings(40);
    data.weights = Vector::LinSpaced(40, 0.0, 2.0);

    check_equal_on_ranks(data);
  }

  TEST_CASE("divides by an exact sum of the weights where asked to") {
    // Each sum of some of these weights rounds, and depends on the order.
    datasets::Dataset data = testing::make_rings(40);
    data.weights = Vector::LinSpaced(40, 0.1, 7.3).array().exp();
    FitOptions options;
    options.distribution.is_reproducible = true;
    const Params params = make_params();

    const Computed alone = compute(data, 1, options, params).front();

    const Computed plain = compute(data, 1).front();
    CHECK(std::abs(alone.value - plain.value) <= kRounding);
    CHECK((alone.gradient - plain.gradient).lpNorm<Eigen::Infinity>() <=
          kRounding);
  }

  TEST_CASE("gives 0 where no instance of the mini-batch counts") {
    datasets::Dataset data = testing::make_rings(40);
    data.weights = Vector::Zero(40);
    data.weights[0] = 1.0;
    for (const int world_size : {1, 2}) {
      for (const Computed& result : compute(data, world_size)) {
        CHECK(result.value == 0.0);
        CHECK(result.gradient.isZero(0.0));
      }
    }
  }

  TEST_CASE("stops where the caller of either kind wants it") {
    distributed::Identity alone;
    std::atomic<bool> is_stopping{false};
    FitOptions options;
    options.is_stopping = &is_stopping;
    options.distribution.allreduce = &alone;
    for (const bool is_exact : {false, true}) {
      options.distribution.is_reproducible = is_exact;
      is_stopping = true;
      CHECK(is_interrupted(options, false));
      is_stopping = false;
      CHECK(is_interrupted(options, true));
      CHECK_FALSE(is_interrupted(options, false));
    }
  }

  TEST_CASE("chooses what lies in a run and knows the places of it") {
    MiniBatchPartition share;
    share.choose({0, kBatch, 4}, 19, 3, 10);

    const MiniBatch batch = share.batch({0, kBatch, 4});

    CHECK(std::vector<Index>(batch.instances.begin(), batch.instances.end()) ==
          std::vector<Index>{10, 11, 9});
    CHECK(std::vector<Index>(batch.places.begin(), batch.places.end()) ==
          std::vector<Index>{0, 2, 3});
    CHECK(batch.divisor == 7.0);
  }
}

TEST_SUITE("mlp/mini_batch_gradient exchange") {
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

  TEST_CASE("rounds and sends nothing where one rank holds all instances") {
    const datasets::Dataset data = testing::make_rings(40);

    const Computed alone =
        compute(data, 1, options_of({64, WireType::kBfloat16, 1})).front();

    CHECK(alone.gradient == compute_here(data).gradient);
  }

  TEST_CASE("records computing, waiting and every sum") {
    const auto spans_of = [](int world_size) {
      distributed::Timeline timeline(0);
      FitOptions options = options_of({0, {}, 0});
      options.distribution.timeline = &timeline;
      compute(testing::make_rings(40), world_size, options);
      std::vector<std::string> names;
      for (const auto& span : timeline.spans()) {
        CHECK(span.number == 1);
        CHECK(span.begin_seconds <= span.end_seconds);
        names.emplace_back(span.name);
      }
      return names;
    };

    CHECK(spans_of(2) ==
          std::vector<std::string>{"compute", "sum", "sum", "wait"});
    CHECK(spans_of(1) == std::vector<std::string>{"compute"});
  }
}

}  // namespace mlp
