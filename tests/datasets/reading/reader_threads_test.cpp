// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/reader_threads.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>

using mlp::Index;
using mlp::datasets::detail::PieceSizes;
using mlp::datasets::detail::ReaderThreads;

namespace {

constexpr std::size_t kBytesPerThread = PieceSizes{}.thread_bytes;
constexpr std::size_t kManyBytes = 100 * kBytesPerThread;

}  // namespace

TEST_SUITE("datasets/reading/reader_threads") {
  TEST_CASE("starts no more threads than the size is worth and than allowed") {
    CHECK(ReaderThreads(8, 0).pool().num_threads() == 1);
    CHECK(ReaderThreads(8, kBytesPerThread).pool().num_threads() == 1);
    CHECK(ReaderThreads(8, 3 * kBytesPerThread).pool().num_threads() == 3);
    CHECK(ReaderThreads(2, kManyBytes).pool().num_threads() == 2);
    CHECK(ReaderThreads(0, kManyBytes).pool().num_threads() == 1);
  }

  TEST_CASE("runs each task once") {
    ReaderThreads threads(3, kManyBytes);
    std::atomic<Index> sum = 0;

    threads.for_each(1000, [&](Index i) { sum += i; });
    threads.for_each(0, [&](Index) { sum = 0; });

    CHECK(sum == 499500);
  }

  TEST_CASE("throws the error of the first task and not of the soonest") {
    ReaderThreads threads(3, kManyBytes);

    for (int round = 0; round < 100; ++round) {
      const auto run = [&] {
        threads.for_each(64, [&](Index i) {
          if (i % 16 == 5) throw std::runtime_error(std::to_string(i));
        });
      };
      CHECK_THROWS_WITH_AS(run(), "5", std::runtime_error);
    }
  }
}
