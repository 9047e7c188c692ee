// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/ordered_pieces.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "../../core/thread_pool.hpp"

namespace mlp {

namespace {

constexpr int kNumThreads = 3;
constexpr Index kNumPieces = 500;

}  // namespace

TEST_SUITE("core/ordered_pieces") {
  TEST_CASE("passes pieces on in their order whatever thread makes them") {
    std::string received;
    std::string expected;
    for (Index i = 0; i < kNumPieces; ++i) expected += std::to_string(i) + ' ';
    OrderedPieces pieces([&](std::string_view piece) { received += piece; },
                         kNumThreads);
    ThreadPool pool(kNumThreads);

    pool.parallel_for(kNumPieces, [&](Index i, int) {
      if (i % 7 == 0) std::this_thread::yield();
      std::string text = std::to_string(i) + ' ';
      pieces.add(i, text);
    });

    CHECK(received == expected);
  }

  TEST_CASE("keeps a piece until those before it are there") {
    std::string received;
    OrderedPieces pieces([&](std::string_view piece) { received += piece; }, 1);
    std::string first = "a";
    std::string second = "b";

    pieces.add(1, second);
    CHECK(received.empty());
    pieces.add(0, first);

    CHECK(received == "ab");
  }

  TEST_CASE("throws what the sink throws and passes nothing on afterwards") {
    int num_received = 0;
    const auto sink = [&](std::string_view) {
      if (++num_received == 20) throw std::runtime_error("the disk is full");
    };
    OrderedPieces pieces(sink, kNumThreads);
    ThreadPool pool(kNumThreads);

    CHECK_THROWS_WITH_AS(pool.parallel_for(kNumPieces,
                                           [&](Index i, int) {
                                             std::string text = "x";
                                             pieces.add(i, text);
                                           }),
                         "the disk is full", std::runtime_error);
    CHECK(num_received == 20);
  }

  TEST_CASE("lets threads that wait go on when it is cancelled") {
    std::string received;
    OrderedPieces pieces([&](std::string_view piece) { received += piece; },
                         kNumThreads);
    ThreadPool pool(kNumThreads);

    const auto fail_at_first = [&](Index i, int) {
      if (i == 0) {
        pieces.cancel();
        throw std::runtime_error("no memory");
      }
      std::string text = "x";
      pieces.add(i, text);
    };

    CHECK_THROWS_WITH_AS(pool.parallel_for(kNumPieces, fail_at_first),
                         "no memory", std::runtime_error);
    CHECK(received.empty());
    std::string late = "x";
    CHECK_FALSE(pieces.add(kNumPieces, late));
  }
}

}  // namespace mlp
