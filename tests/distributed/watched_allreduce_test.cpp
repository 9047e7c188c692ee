// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../distributed/watched_allreduce.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../../distributed/device_allreduce.hpp"
#include "../../distributed/identity.hpp"
#include "../../distributed/thread_group.hpp"
#include "ranks.hpp"

namespace mlp::distributed {

namespace {

constexpr double kLongSeconds = 60.0;

/// What is told about stalls.
class Reports {
 public:
  void add(const std::string& report) {
    const std::lock_guard lock(mutex_);
    reports_.push_back(report);
  }

  [[nodiscard]] std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return reports_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> reports_;
};

}  // namespace

namespace {

/// A group that notes what it is told.
class Notes final : public Allreduce {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int world_size() const override { return 1; }
  using Allreduce::sum;
  void sum(std::span<double> /*numbers*/) override {}
  void announce(const char* phase, std::int64_t number) override {
    notes += std::string(phase) + ' ' + std::to_string(number) + '\n';
  }
  void cancel(const std::string& sentence) noexcept override {
    notes += sentence + '\n';
  }
  [[nodiscard]] std::vector<int> missing_ranks() const override { return {7}; }

  std::string notes;
};

/// A group with a device on which a rank is lost.
class LostOnDevice final : public DeviceAllreduce {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int world_size() const override { return 2; }
  using Allreduce::sum;
  void sum(std::span<double> /*numbers*/) override {}
  void sum_on_device(double* /*numbers*/, std::size_t /*count*/,
                     void* /*stream*/) override {
    ++num_sums;
  }
  void sum_on_device(float* /*numbers*/, std::size_t /*count*/,
                     void* /*stream*/) override {
    throw CommunicationError(1, "is gone");
  }
  void wait(void* /*stream*/) override {
    throw CommunicationError(1, "was lost");
  }

  int num_sums = 0;
};

/// A group whose sums run out of memory.
class Exhausted final : public Allreduce {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int world_size() const override { return 1; }
  using Allreduce::sum;
  void sum(std::span<double> /*numbers*/) override { throw std::bad_alloc(); }
  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override {
    return {text};
  }
};

}  // namespace

TEST_SUITE("distributed/watched_allreduce") {
  TEST_CASE("names the wait for a device in which a rank was lost") {
    LostOnDevice inner;
    WatchedAllreduce watched(inner, kLongSeconds, {});
    watched.announce("evaluation", 3);
    DeviceAllreduce* const device = watched.on_device();
    REQUIRE(device != nullptr);
    double number = 0.0;
    float small = 0.0F;

    device->sum_on_device(&number, 1, nullptr);

    CHECK(inner.num_sums == 1);
    CHECK(device->world_size() == 2);
    CHECK_THROWS_WITH_AS(
        device->sum_on_device(&small, 1, nullptr),
        doctest::Contains("rank 1: is gone (evaluation 3, a sum of 1 numbers "
                          "of the device, after 0"),
        CommunicationError);
    CHECK_THROWS_WITH_AS(
        device->wait(nullptr),
        doctest::Contains("rank 1: was lost (evaluation 3, a wait for the "
                          "device, after 0"),
        CommunicationError);
  }

  TEST_CASE("has no device if the group has none") {
    Identity inner;
    WatchedAllreduce watched(inner, kLongSeconds, {});

    CHECK(watched.on_device() == nullptr);
  }

  TEST_CASE("passes every call on") {
    ThreadGroup group(2, kLongSeconds);
    const auto errors = testing::run_ranks(2, [&](int rank) {
      WatchedAllreduce watched(group.rank(rank), kLongSeconds, {});
      std::vector<double> numbers{1.0 + rank};
      std::vector<Float16> halves{Float16(0.5f)};

      watched.announce("evaluation", 1);
      watched.sum(std::span<double>(numbers));
      watched.sum(std::span<Float16>(halves));

      CHECK(numbers[0] == 3.0);
      CHECK(static_cast<float>(halves[0]) == 1.0f);
      CHECK(watched.all_gather("x") == std::vector<std::string>{"x", "x"});
      CHECK(watched.rank() == rank);
      CHECK(watched.world_size() == 2);
    });

    CHECK(errors == std::vector<std::string>(2));
  }

  TEST_CASE("passes on what no other rank answers") {
    Notes inner;
    WatchedAllreduce watched(inner, kLongSeconds, {});

    watched.announce("step", 12);
    watched.cancel("leaves");

    CHECK(inner.notes == "step 12\nleaves\n");
    CHECK(watched.missing_ranks() == std::vector<int>{7});
  }

  TEST_CASE("says in an error what was summed and when") {
    ThreadGroup group(2, kLongSeconds);
    WatchedAllreduce watched(group.rank(0), kLongSeconds, {});
    std::vector<double> numbers(7);

    watched.announce("evaluation", 12);
    group.rank(1).cancel("left");

    CHECK_THROWS_WITH_AS(
        watched.sum(std::span<double>(numbers)),
        "rank 1: left (evaluation 12, a sum of 7 numbers, after 0 s)",
        CommunicationError);
  }

  TEST_CASE("reports once what a call waits for") {
    ThreadGroup group(2, kLongSeconds);
    Reports reports;
    const auto errors = testing::run_ranks(2, [&](int rank) {
      WatchedAllreduce watched(
          group.rank(rank), 0.05,
          [&](const std::string& report) { reports.add(report); });
      watched.announce("step", 3);
      // Rank 1 comes when rank 0 has told that it waits.
      while (rank == 1 && reports.all().empty()) std::this_thread::yield();
      std::vector<double> numbers(1);
      watched.sum(std::span<double>(numbers));
    });

    CHECK(errors == std::vector<std::string>(2));
    REQUIRE(reports.all().size() == 1);
    CHECK(reports.all()[0].find("rank 0 waits for rank 1 in step 3, for 0") ==
          0);
  }

  TEST_CASE("reports nothing after a call that failed for any reason") {
    Exhausted exhausted;
    Reports reports;
    WatchedAllreduce watched(exhausted, 0.05, [&](const std::string& report) {
      reports.add(report);
    });
    std::vector<double> numbers(1);

    CHECK_THROWS_AS(watched.sum(std::span<double>(numbers)), std::bad_alloc);
    const std::size_t num_reports = reports.all().size();
    std::this_thread::sleep_for(std::chrono::milliseconds(150));

    CHECK(reports.all().size() == num_reports);
  }

  TEST_CASE("continues when a report throws") {
    ThreadGroup group(2, kLongSeconds);
    std::atomic<bool> is_told = false;
    const auto errors = testing::run_ranks(2, [&](int rank) {
      WatchedAllreduce watched(group.rank(rank), 0.01, [&](const std::string&) {
        is_told = true;
        throw std::runtime_error("no terminal");
      });
      while (rank == 1 && !is_told) std::this_thread::yield();
      std::vector<double> numbers{1.0};
      watched.sum(std::span<double>(numbers));
      CHECK(numbers[0] == 2.0);
    });

    CHECK(errors == std::vector<std::string>(2));
  }

  TEST_CASE("reports nothing between calls") {
    Identity identity;
    Reports reports;
    {
      WatchedAllreduce watched(identity, 0.001, [&](const std::string& report) {
        reports.add(report);
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }

    CHECK(reports.all().empty());
  }
}

}  // namespace mlp::distributed
