// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../optim/lbfgs/host_lbfgs_vectors.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace {

using mlp::Vector;
using mlp::optim::HostLbfgsVectors;
using mlp::optim::LinePoint;

/// f(x) = |x|^2 / 2, whose gradient is x.
struct Bowl {
  double value_and_gradient(const Vector& x, Vector& gradient) {
    if (fails) throw std::runtime_error("no value");
    gradient = x;
    return x.squaredNorm() / 2.0;
  }

  bool fails = false;
};

TEST_SUITE("optim/lbfgs/host_lbfgs_vectors") {
  TEST_CASE("descends along the gradient without corrections") {
    Bowl bowl;
    HostLbfgsVectors<Bowl> vectors(bowl, 3);
    vectors.start(Vector{{3.0, 4.0}});

    CHECK(vectors.evaluate() == 12.5);
    REQUIRE(vectors.choose_direction(true));
    CHECK(vectors.gradient_norm() == 5.0);
    CHECK(vectors.gradient_max() == 4.0);
    CHECK(vectors.direction_norm() == 5.0);
    CHECK(vectors.slope() == -25.0);
  }

  TEST_CASE("evaluates a trial point, and takes it as x when accepted") {
    Bowl bowl;
    HostLbfgsVectors<Bowl> vectors(bowl, 3);
    vectors.start(Vector{{4.0}});
    static_cast<void>(vectors.evaluate());
    REQUIRE(vectors.choose_direction(true));

    const LinePoint point = vectors.trial(0.5);

    CHECK(point.t == 0.5);
    CHECK(point.value == 2.0);
    CHECK(point.derivative == -8.0);
    CHECK(vectors.has_moved());
    CHECK(vectors.x() == Vector{{4.0}});
    vectors.accept();
    CHECK(vectors.x() == Vector{{2.0}});
    CHECK(vectors.gradient_norm() == 2.0);
  }

  TEST_CASE("says that a step of length 0 does not move") {
    Bowl bowl;
    HostLbfgsVectors<Bowl> vectors(bowl, 3);
    vectors.start(Vector{{4.0}});
    static_cast<void>(vectors.evaluate());
    REQUIRE(vectors.choose_direction(true));

    static_cast<void>(vectors.trial(0.0));

    CHECK(!vectors.has_moved());
  }

  TEST_CASE("keeps x and its gradient if an evaluation throws") {
    Bowl bowl;
    HostLbfgsVectors<Bowl> vectors(bowl, 3);
    vectors.start(Vector{{4.0}});
    static_cast<void>(vectors.evaluate());
    bowl.fails = true;

    CHECK_THROWS_AS(vectors.evaluate(), std::runtime_error);

    CHECK(vectors.x() == Vector{{4.0}});
    CHECK(vectors.gradient_norm() == 4.0);
  }
}

}  // namespace
