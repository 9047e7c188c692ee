// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/stop_request.hpp"

#include <doctest/doctest.h>

#include <atomic>

namespace mlp::optim {

TEST_SUITE("optim/stop_request") {
  TEST_CASE("is silent until a stop is requested") {
    const std::atomic<bool> flag{false};
    const StopRequest with_flag(&flag);
    const StopRequest without_flag;

    CHECK_FALSE(with_flag.is_requested());
    CHECK_FALSE(without_flag.is_requested());
    CHECK_NOTHROW(with_flag.poll());
    CHECK_NOTHROW(without_flag.poll());
  }

  TEST_CASE("throws after a request from within") {
    StopRequest stop;

    stop.request();

    CHECK(stop.is_requested());
    CHECK_THROWS_AS(stop.poll(), Interrupted);
  }

  TEST_CASE("throws while the flag of the caller is set") {
    std::atomic<bool> flag{true};
    const StopRequest stop(&flag);

    CHECK_THROWS_AS(stop.poll(), Interrupted);
    flag = false;
    CHECK_NOTHROW(stop.poll());
  }
}

}  // namespace mlp::optim
