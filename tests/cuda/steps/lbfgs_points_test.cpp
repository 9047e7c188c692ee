// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/steps/lbfgs_points.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "lbfgs_probe.hpp"

namespace mlp::cuda {

namespace {

using Numbers = std::vector<double>;
using testing::LbfgsProbe;

/// x = (1, 2), gradient (3, 4), direction (3, -4), trial point (5, 6) with
/// gradient (7, 8), after three corrections.
struct Points {
  LbfgsProbe probe{2, 3};
  const LbfgsMemory& memory = probe.memory();

  Points() {
    for (int i = 0; i < 3; ++i) probe.push(Vector::Ones(2), Vector::Ones(2));
    probe.write(Numbers{1, 2}, memory.x);
    probe.write(Numbers{3, 4}, memory.gradient);
    probe.write(Numbers{3, -4}, memory.direction);
    probe.write(Numbers{5, 6}, memory.trial_x);
    probe.write(Numbers{7, 8}, memory.trial_gradient);
  }
};

TEST_SUITE("cuda/steps/lbfgs_points") {
  TEST_CASE_FIXTURE(Points, "accepts a step as the newest correction") {
    probe.command({LbfgsMove::kAccept, 2, 3, 1.0, 0});

    move_to_trial(memory, probe.stream().get());

    CHECK(probe.read(memory.x, 2) == Numbers{5, 6});
    CHECK(probe.read(memory.gradient, 2) == Numbers{7, 8});
    CHECK(probe.read(memory.s + 4, 2) == Numbers{4, 4});
    CHECK(probe.read(memory.y + 4, 2) == Numbers{4, 4});
  }

  TEST_CASE_FIXTURE(Points, "takes the trial point without a correction") {
    const Numbers before = probe.read(memory.s, 2);
    probe.command({LbfgsMove::kTake, 0, 1, 1.0, 0});

    move_to_trial(memory, probe.stream().get());

    CHECK(probe.read(memory.x, 2) == Numbers{5, 6});
    CHECK(probe.read(memory.gradient, 2) == Numbers{7, 8});
    CHECK(probe.read(memory.s, 2) == before);
  }

  TEST_CASE_FIXTURE(Points, "stays where it is without a command to move") {
    probe.command({});

    move_to_trial(memory, probe.stream().get());

    CHECK(probe.read(memory.x, 2) == Numbers{1, 2});
    CHECK(probe.read(memory.gradient, 2) == Numbers{3, 4});
  }

  TEST_CASE_FIXTURE(Points, "makes a trial point along the direction") {
    probe.command({LbfgsMove::kNone, 0, 0, 2.0, 0});

    make_trial(memory, probe.stream().get());

    CHECK(probe.read(memory.trial_x, 2) == Numbers{7, -6});
    CHECK(probe.read(memory.results, 1)[0].step == 2.0);
  }

  TEST_CASE_FIXTURE(Points, "makes a trial point at a distance") {
    LbfgsResults results;
    results.direction_squares = 25.0;
    probe.write(std::vector<LbfgsResults>{results}, memory.results);
    probe.command({LbfgsMove::kNone, 0, 0, 10.0, 1});

    make_trial(memory, probe.stream().get());

    CHECK(probe.read(memory.trial_x, 2) == Numbers{7, -6});
    CHECK(probe.read(memory.results, 1)[0].step == 2.0);
  }

  TEST_CASE_FIXTURE(Points, "measures the trial point") {
    measure_trial(memory, probe.stream().get());

    const LbfgsResults results = probe.read(memory.results, 1)[0];
    CHECK(results.slope == 7.0 * 3.0 - 8.0 * 4.0);
    CHECK(results.gradient_squares == 7.0 * 7.0 + 8.0 * 8.0);
  }
}

}  // namespace

}  // namespace mlp::cuda
