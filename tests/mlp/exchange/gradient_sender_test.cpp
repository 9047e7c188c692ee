// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/exchange/gradient_sender.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "../../../distributed/identity.hpp"
#include "../../../distributed/thread_group.hpp"
#include "../../distributed/ranks.hpp"

namespace mlp {

namespace {

using distributed::ThreadGroup;
using distributed::testing::run_ranks;

constexpr double kDeadlineSeconds = 60.0;

const Topology& topology() {
  static const Topology value({9, 10, 6, 4});  // 194 weights
  return value;
}

/// The gradient of a rank: numbers of all magnitudes around 1.
template <typename Number>
std::vector<Number> gradient_of(int rank) {
  std::vector<Number> gradient;
  for (Index i = 0; i < topology().num_weights(); ++i) {
    gradient.push_back(static_cast<Number>(
        std::sin(static_cast<double>(i * 7 + rank)) * std::exp2(i % 9 - 4)));
  }
  return gradient;
}

/// What each rank has after some steps with announcements from another thread.
template <typename Number>
std::vector<std::vector<Number>> send(int world_size, const ExchangePlan& plan,
                                      std::vector<Index> announced) {
  std::vector<std::vector<Number>> gradients(
      static_cast<std::size_t>(world_size));
  ThreadGroup group(world_size, kDeadlineSeconds);
  const auto errors = run_ranks(world_size, [&](int rank) {
    GradientSender<Number> sender(group.rank(rank), topology(), plan);
    std::vector<Number>& own = gradients[static_cast<std::size_t>(rank)];
    for (int step = 0; step < 3; ++step) {
      own = gradient_of<Number>(rank + step);
      sender.start(own.data(), step);
      std::thread other([&] {
        for (const Index layer : announced) sender.on_layer_done()(layer);
      });
      other.join();
      sender.finish();
    }
  });
  CHECK(errors ==
        std::vector<std::string>(static_cast<std::size_t>(world_size)));
  return gradients;
}

/// Checks sums of 3 ranks against the true ones, whose terms are all rounded.
template <typename Number>
void check_rounding(WireType wire, double relative, double absolute) {
  const auto gradients = send<Number>(3, {100, wire, 0}, {2, 1, 0});
  for (std::size_t i = 0; i < gradients[0].size(); ++i) {
    double sum = 0.0;
    double magnitude = 0.0;
    for (int rank = 0; rank < 3; ++rank) {
      const auto term = static_cast<double>(gradient_of<Number>(rank + 2)[i]);
      sum += term;
      magnitude += std::abs(term);
    }
    // Each term and the sum are rounded once, and that of a rounded term again.
    const double bound =
        relative * (2.0 + 3.0 * relative) * magnitude + 4.0 * absolute;
    CHECK(std::abs(static_cast<double>(gradients[0][i]) - sum) <= bound);
    CHECK(gradients[1][i] == gradients[0][i]);
    CHECK(gradients[2][i] == gradients[0][i]);
  }
}

}  // namespace

TEST_SUITE("mlp/exchange/gradient_sender") {
  TEST_CASE("gives the bits of one sum, whatever the buckets and the order") {
    for (int world_size = 2; world_size <= 4; ++world_size) {
      const auto expected = send<double>(world_size, {0, {}, 0}, {});
      for (const Index bytes : {8, 100, 400, 1000, 100000}) {
        CAPTURE(bytes);
        for (const auto& layers : std::vector<std::vector<Index>>{
                 {2, 1, 0}, {}, {0}, {1}, {0, 2, 1}, {2, 2, 0}}) {
          CHECK(send<double>(world_size, {bytes, {}, 0}, layers) == expected);
        }
      }
    }
  }

  TEST_CASE("sends single precision as it is") {
    CHECK(send<float>(3, {64, {}, 0}, {1}) == send<float>(3, {0, {}, 0}, {}));
  }

  TEST_CASE("rounds to 11 or 8 bits where it is told to") {
    // The smallest numbers of float16 lie 2^-24 apart.
    constexpr double kFloat16Step = 0x1p-25;
    check_rounding<double>(WireType::kFloat16, 0x1p-11, kFloat16Step);
    check_rounding<float>(WireType::kFloat16, 0x1p-11, kFloat16Step);
    check_rounding<double>(WireType::kBfloat16, 0x1p-8, 0.0);
    check_rounding<float>(WireType::kBfloat16, 0x1p-8, 0.0);
  }

  TEST_CASE("knows what was not announced") {
    distributed::Identity group;
    GradientSender<double> sender(group, topology(), {});
    std::vector<double> gradient(194);
    sender.start(gradient.data(), 0);
    CHECK(sender.num_open() == 194);

    sender.layer_done(1);
    sender.layer_done(2);

    CHECK(sender.num_open() == topology().weight_offset(1));
    sender.finish();
  }

  TEST_CASE("records a sum for each bucket") {
    distributed::Timeline timeline(0);
    ThreadGroup group(2, kDeadlineSeconds);
    run_ranks(2, [&](int rank) {
      GradientSender<double> sender(group.rank(rank), topology(), {400, {}, 0},
                                    rank == 0 ? &timeline : nullptr);
      std::vector<double> gradient = gradient_of<double>(rank);
      sender.start(gradient.data(), 5);
      sender.finish();
    });

    std::int64_t bytes = 0;
    for (const auto& span : timeline.spans()) {
      CHECK(std::string(span.name) == "sum");
      CHECK(span.row == distributed::Timeline::Row::kSend);
      CHECK(span.number == 5);
      bytes += span.bytes;
    }
    CHECK(bytes == 194 * 8);
    CHECK(timeline.spans().size() ==
          BucketPlan(topology(), 400, 8).buckets().size());
  }

  TEST_CASE("changes its plan between steps") {
    std::vector<std::vector<double>> gradients(2);
    ThreadGroup group(2, kDeadlineSeconds);
    run_ranks(2, [&](int rank) {
      GradientSender<double> sender(group.rank(rank), topology(), {});
      std::vector<double>& own = gradients[static_cast<std::size_t>(rank)];
      for (const Index bytes : {0, 80, 0, 400, 1}) {
        own = gradient_of<double>(rank);
        sender.use({bytes, {}, 0});
        sender.start(own.data(), 0);
        sender.layer_done(1);
        sender.finish();
      }
    });

    CHECK(gradients[0][193] ==
          gradient_of<double>(0)[193] + gradient_of<double>(1)[193]);
    CHECK(gradients[0] == gradients[1]);
  }
}

TEST_SUITE("mlp/gradient_sender failures") {
  TEST_CASE("passes on what a sum threw, in this step and the next") {
    ThreadGroup group(2, kDeadlineSeconds);
    const auto errors = run_ranks(2, [&](int rank) {
      if (rank == 1) {
        group.rank(1).cancel("is lost");
        return;
      }
      GradientSender<double> sender(group.rank(0), topology(), {80, {}, 0});
      std::vector<double> gradient = gradient_of<double>(0);
      sender.start(gradient.data(), 0);
      CHECK_THROWS_WITH_AS(sender.finish(), "rank 1: is lost",
                           CommunicationError);
      sender.start(gradient.data(), 1);
      sender.finish();
    });

    CHECK(errors[0] == "rank 1: is lost");
  }

  TEST_CASE("leaves no rank waiting where a step is left") {
    ThreadGroup group(2, kDeadlineSeconds);
    const auto start = std::chrono::steady_clock::now();
    const auto errors = run_ranks(2, [&](int rank) {
      std::vector<double> gradient = gradient_of<double>(rank);
      GradientSender<double> sender(group.rank(rank), topology(), {80, {}, 0});
      sender.start(gradient.data(), 0);
      sender.layer_done(1);
      if (rank == 0) sender.finish();
    });

    CHECK(errors[0] == "rank 1: left before the end of a step");
    CHECK(errors[1] == "");
    CHECK(std::chrono::steady_clock::now() - start <
          std::chrono::duration<double>(kDeadlineSeconds));
  }

  TEST_CASE("is destroyed at once where nothing was started") {
    ThreadGroup group(2, kDeadlineSeconds);

    CHECK_NOTHROW(
        GradientSender<double>(group.rank(0), topology(), {80, {}, 0}));
  }
}

}  // namespace mlp
