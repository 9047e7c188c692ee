// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../cli/fit/folds/quality.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <variant>
#include <vector>

#include "../../../../distributed/thread_group.hpp"
#include "../../../../mlp/backend/reference_backend.hpp"

namespace mlp::cli {

namespace {

/// Measures a model that predicts class 0 on as many instances of class 0.
Quality measure(MetricsLimit& limit, distributed::Allreduce* group = nullptr) {
  constexpr Index kNumInstances = 1000;
  const Model model(Topology({2, 2}), Vector::Zero(6));
  datasets::Dataset data;
  data.features = Matrix::Zero(2, kNumInstances);
  data.labels = Vector::Zero(kNumInstances);
  GlobalOptions global;
  global.backend.implementation = &reference_backend();
  return measure_quality(model, TrainingInstances::view(data), global, limit,
                         group);
}

/// Waits until the time for the scores of a stopped training is over.
void use_up(MetricsLimit& limit) {
  while (!limit.is_exceeded()) std::this_thread::yield();
}

}  // namespace

TEST_SUITE("cli/fit/folds/quality") {
  TEST_CASE("measures all instances unless the training was stopped") {
    const std::atomic<bool> is_stopping{false};
    MetricsLimit limit(&is_stopping);

    const Quality quality = measure(limit);

    REQUIRE(std::holds_alternative<Accuracy>(quality));
    CHECK(std::get<Accuracy>(quality).num_right == 1000);
  }

  TEST_CASE("leaves scores out on all ranks if one of them was stopped") {
    const std::atomic<bool> is_stopping{true};
    const std::atomic<bool> goes_on{false};
    distributed::ThreadGroup group(2);
    MetricsLimit limit(&is_stopping);
    use_up(limit);
    Quality of_other;
    std::thread other([&] {
      MetricsLimit none(&goes_on);
      of_other = measure(none, &group.rank(1));
    });

    const Quality quality = measure(limit, &group.rank(0));
    other.join();

    for (const Quality& each : {quality, of_other}) {
      REQUIRE(std::holds_alternative<NotMeasured>(each));
      CHECK(std::get<NotMeasured>(each).num_instances == 2000);
    }
  }

  TEST_CASE("leaves scores out where a stopped training has no time left") {
    const std::atomic<bool> is_stopping{true};
    MetricsLimit limit(&is_stopping);
    CHECK(std::holds_alternative<Accuracy>(measure(limit)));

    use_up(limit);

    REQUIRE(std::holds_alternative<NotMeasured>(measure(limit)));
    CHECK(std::get<NotMeasured>(measure(limit)).num_instances == 1000);
  }

  TEST_CASE("counts an R2 without a value as 0") {
    FoldScores folds;
    folds.add(RegressionSums::of(Vector{{1.0}}, Vector{{1.5}}).metrics());
    folds.add(RegressionSums::of(Vector{{2, 2}}, Vector{{2, 2}}).metrics());

    CHECK(folds.scores == std::vector<double>{0.0, 0.0});
    CHECK(folds.describe_last() == "R2 0.0000");
  }
}

}  // namespace mlp::cli
