// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "fiber.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using mlp::cuda_host::Fiber;

TEST_CASE("Fiber pauses and continues its body") {
  std::string order;
  Fiber fiber;
  fiber.start([&] {
    order += 'a';
    Fiber::pause();
    order += 'b';
  });
  CHECK(order.empty());
  fiber.resume();
  CHECK(order == "a");
  CHECK_FALSE(fiber.is_done());
  fiber.resume();
  CHECK(order == "ab");
  CHECK(fiber.is_done());
}

TEST_CASE("Fiber runs one body after another on the same stack") {
  Fiber fiber;
  int sum = 0;
  for (int i = 1; i <= 100; ++i) {
    fiber.start([&sum, i] {
      Fiber::pause();
      sum += i;
    });
    fiber.resume();
    fiber.resume();
  }
  CHECK(sum == 5050);
}

TEST_CASE("Fiber hands the exception of its body to the caller") {
  Fiber fiber;
  fiber.start([] { throw std::runtime_error("from the body"); });
  CHECK_THROWS_WITH(fiber.resume(), "from the body");
  CHECK(fiber.is_done());
}

TEST_CASE("Fiber destroys the objects of a body that is paused") {
  const auto alive = std::make_shared<int>(1);
  {
    Fiber fiber;
    fiber.start([&] {
      const std::shared_ptr<int> copy = alive;
      Fiber::pause();
      CHECK(copy == nullptr);  // is never reached
    });
    fiber.resume();
    CHECK(alive.use_count() == 2);
  }
  CHECK(alive.use_count() == 1);
}

TEST_CASE("Fiber takes turns with others") {
  std::string order;
  std::vector<std::unique_ptr<Fiber>> fibers;
  for (char name = 'a'; name <= 'c'; ++name) {
    fibers.push_back(std::make_unique<Fiber>());
    fibers.back()->start([&order, name] {
      order += name;
      Fiber::pause();
      order += name;
    });
  }
  for (int turn = 0; turn < 2; ++turn) {
    for (const auto& fiber : fibers) fiber->resume();
  }
  CHECK(order == "abcabc");
}
