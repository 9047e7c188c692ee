// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "stream_queues.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "execution_settings.hpp"
#include "kernel_error.hpp"

using namespace mlp::cuda_host;

namespace {

/// Runs two streams. The second one waits for the first if is_waiting is true.
std::string run_two_streams(std::uint64_t seed, bool is_waiting) {
  const ExecutionSettings before = execution_settings();
  execution_settings().order_seed = seed;
  std::string order;
  StreamQueues queues;
  const auto append = [&](char name) { return [&, name] { order += name; }; };
  queues.add_work(1, append('a'));
  queues.add_work(1, append('b'));
  queues.add_record(1, 7);
  queues.add_work(1, append('c'));
  if (is_waiting) queues.add_wait(2, 7);
  queues.add_work(2, append('x'));
  queues.add_work(2, append('y'));
  queues.run_all();
  execution_settings() = before;
  return order;
}

}  // namespace

TEST_CASE("Work waits until somebody needs its result") {
  int count = 0;
  StreamQueues queues;
  queues.add_work(1, [&] { ++count; });
  queues.add_work(2, [&] { ++count; });
  CHECK(count == 0);
  queues.run_until([&] { return queues.is_empty(1); });
  CHECK(count == 1);
  queues.run_all();
  CHECK(count == 2);
}

TEST_CASE("The work of a stream runs in order, whatever the others do") {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::string order = run_two_streams(seed, false);
    CHECK(order.find('a') < order.find('b'));
    CHECK(order.find('b') < order.find('c'));
    CHECK(order.find('x') < order.find('y'));
    orders.insert(order);
  }
  CHECK(orders.size() >= 8);
}

TEST_CASE("A stream that waits for an event runs after its mark") {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::string order = run_two_streams(seed, true);
    CHECK(order.find('b') < order.find('x'));
    orders.insert(order);
  }
  CHECK(orders == std::set<std::string>{"abcxy", "abxcy", "abxyc"});
}

TEST_CASE("An event without a mark is not waited for") {
  int count = 0;
  StreamQueues queues;
  queues.add_wait(1, 3);
  queues.add_work(1, [&] { ++count; });
  queues.run_all();
  CHECK(count == 1);
  CHECK(queues.is_reached(3));
  queues.add_record(1, 3);
  CHECK_FALSE(queues.is_reached(3));
}

TEST_CASE("Other streams go on while an attempt does not succeed") {
  int num_attempts = 0;
  std::string order;
  StreamQueues queues;
  queues.add_attempt(1, [&] { return ++num_attempts == 3; });
  queues.add_work(1, [&] { order += 'a'; });
  queues.add_work(2, [&] { order += 'x'; });

  CHECK_FALSE(queues.run_available());
  CHECK(order == "x");
  CHECK_FALSE(queues.is_empty(1));
  queues.run_all();

  CHECK(order == "xa");
  CHECK(num_attempts == 3);
  CHECK(queues.run_available());
}

TEST_CASE("An attempt that throws is not repeated") {
  StreamQueues queues;
  queues.add_attempt(1, []() -> bool { throw KernelError("failed"); });

  CHECK_THROWS_WITH_AS(queues.run_available(), "failed", KernelError);

  CHECK(queues.is_empty(1));
}

TEST_CASE("Streams that wait for ever are an error") {
  StreamQueues queues;
  CHECK_THROWS_WITH_AS(queues.run_until([] { return false; }),
                       "streams wait for events that are never recorded",
                       KernelError);
}
