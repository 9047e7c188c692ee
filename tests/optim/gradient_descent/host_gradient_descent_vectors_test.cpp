// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../../../optim/gradient_descent/gradient_descent.hpp"

namespace {

using mlp::Vector;
using mlp::optim::HostGradientDescentVectors;

/// f(x) = |x|^2 / 2, whose gradient is x.
struct Bowl {
  double value_and_gradient(const Vector& x, Vector& gradient) {
    gradient = x;
    return x.squaredNorm() / 2.0;
  }
};

TEST_SUITE("optim/gradient_descent/host_gradient_descent_vectors") {
  TEST_CASE("steps against the gradient") {
    Bowl bowl;
    HostGradientDescentVectors<Bowl> vectors(bowl);
    vectors.start(Vector{{3.0, 4.0}});

    CHECK(vectors.evaluate() == 12.5);
    vectors.step(0.5);

    CHECK(vectors.x() == Vector{{1.5, 2.0}});
    CHECK(vectors.norm() == 2.5);
    CHECK(vectors.moved_distance() == 2.5);
  }
}

}  // namespace
