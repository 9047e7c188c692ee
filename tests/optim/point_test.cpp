// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../../optim/iteration_callback.hpp"

namespace {

using mlp::Vector;
using mlp::optim::Point;

TEST_SUITE("optim/point") {
  TEST_CASE("refers to a vector") {
    const Vector x{{1.0, 2.0}};

    const Point point(x);

    CHECK(&point.vector() == &x);
    CHECK(point.size() == 2);
    CHECK(point[1] == 2.0);
  }

  TEST_CASE("reads its vector once, and only if somebody asks") {
    const Vector x{{1.0, 2.0}};
    int num_reads = 0;
    const Point point([&]() -> const Vector& {
      ++num_reads;
      return x;
    });

    CHECK(num_reads == 0);
    const Vector copy = point;
    CHECK(copy == x);
    CHECK(point[0] == 1.0);
    CHECK(num_reads == 1);
  }

  TEST_CASE("is assigned to a vector like a vector") {
    const Vector x{{3.0}};
    const Point point(x);
    Vector copy;

    copy = point;

    CHECK(copy == x);
  }
}

}  // namespace
