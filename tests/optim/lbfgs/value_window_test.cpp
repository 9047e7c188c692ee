// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../optim/lbfgs/value_window.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace mlp::optim {

namespace {

constexpr double kAnyTolerance = 1e300;

ValueWindow window_of(int count, double value) {
  ValueWindow window;
  for (int i = 0; i < count; ++i) window.push(value);
  return window;
}

}  // namespace

TEST_SUITE("optim/lbfgs/value_window") {
  TEST_CASE("is not flat before the first step however wide the tolerance") {
    CHECK_FALSE(ValueWindow().is_flat(1.0, kAnyTolerance));
  }

  TEST_CASE("is not flat before 20 values have come") {
    for (int count = 1; count < 20; ++count) {
      CAPTURE(count);
      CHECK_FALSE(window_of(count, 1.0).is_flat(1.0, kAnyTolerance));
    }
    CHECK(window_of(20, 1.0).is_flat(1.0, 0.0));
    CHECK(window_of(21, 1.0).is_flat(1.0, 0.0));
  }

  TEST_CASE("compares with the largest value and takes equality for flat") {
    ValueWindow window = window_of(19, 1.0);
    window.push(3.0);

    CHECK(window.is_flat(1.0, 2.0));
    CHECK_FALSE(window.is_flat(1.0, 1.75));
    CHECK(window.is_flat(5.0, 2.0));
    CHECK_FALSE(window.is_flat(5.0, 1.75));
  }

  TEST_CASE("forgets a value after 20 newer ones") {
    ValueWindow window = window_of(1, 9.0);
    for (int i = 0; i < 19; ++i) window.push(1.0);
    CHECK_FALSE(window.is_flat(1.0, 0.5));

    window.push(1.0);

    CHECK(window.is_flat(1.0, 0.5));
  }

  TEST_CASE("forgets in order over several rounds") {
    ValueWindow window;
    for (int value = 100; value > 0; --value) window.push(value);

    // The last 20 are 20, 19, .., 1.
    CHECK(window.is_flat(1.0, 19.0));
    CHECK_FALSE(window.is_flat(1.0, 18.75));
  }

  TEST_CASE("is never flat while it holds NaN wherever that lies") {
    for (int before = 0; before < 20; ++before) {
      CAPTURE(before);
      ValueWindow window = window_of(20 + before, 1.0);
      window.push(std::nan(""));
      for (int after = 0; after < 19; ++after) {
        CHECK_FALSE(window.is_flat(1.0, kAnyTolerance));
        window.push(1.0);
      }
      CHECK_FALSE(window.is_flat(1.0, kAnyTolerance));
      window.push(1.0);
      CHECK(window.is_flat(1.0, 0.0));
    }
  }

  TEST_CASE("comes back from bytes wherever its ring stood") {
    for (int count = 0; count < 45; ++count) {
      CAPTURE(count);
      ValueWindow window;
      for (int i = 0; i < count; ++i) window.push(100 - i);
      ByteWriter writer;
      window.save(writer);
      ByteReader reader(writer.bytes(), "run.state");
      ValueWindow restored;
      restored.restore(reader);

      for (int i = 0; i < 25; ++i) {
        CHECK(restored.is_flat(1.0, 50.0) == window.is_flat(1.0, 50.0));
        window.push(i);
        restored.push(i);
      }
    }
  }

  TEST_CASE("refuses to come back from more than 20 values or none") {
    ByteWriter writer;
    writer.write_vector(Vector::Zero(21).eval());
    writer.write_vector(Vector());
    ByteReader reader(writer.bytes(), "run.state");
    ValueWindow window;

    CHECK_THROWS_WITH_AS(
        window.restore(reader),
        "run.state: the last objective values must be 1 to 20; got 21",
        ModelError);
    CHECK_THROWS_WITH_AS(
        window.restore(reader),
        "run.state: the last objective values must be 1 to 20; got 0",
        ModelError);
  }

  TEST_CASE("is not flat for a value that is NaN or infinite") {
    const ValueWindow window = window_of(20, 1.0);

    CHECK_FALSE(window.is_flat(std::nan(""), kAnyTolerance));
    CHECK_FALSE(window.is_flat(HUGE_VAL, kAnyTolerance));
  }
}

}  // namespace mlp::optim
