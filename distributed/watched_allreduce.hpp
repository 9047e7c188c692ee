// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "../core/error.hpp"
#include "../core/number_text.hpp"
#include "allreduce.hpp"
#include "device_allreduce.hpp"

namespace mlp::distributed {

/// A wrapper of a group that adds context to errors and reports stalled calls.
///
/// Errors name the sum that failed, and the seconds after which it failed.
class WatchedAllreduce final : public Allreduce {
 public:
  /// \param inner          must outlive this object
  /// \param stall_seconds  a call that takes longer is reported once
  /// \param on_stall       receives a sentence that names the missing ranks;
  ///                       called from another thread; its
  ///                       exceptions are ignored; if empty, nothing is
  ///                       reported
  WatchedAllreduce(Allreduce& inner, double stall_seconds,
                   std::function<void(const std::string&)> on_stall)
      : inner_(inner),
        stall_seconds_(stall_seconds),
        on_stall_(std::move(on_stall)) {
    if (inner_.on_device()) device_.emplace(*this, *inner_.on_device());
    if (on_stall_) start_watcher();
  }

  WatchedAllreduce(const WatchedAllreduce&) = delete;
  WatchedAllreduce& operator=(const WatchedAllreduce&) = delete;

  ~WatchedAllreduce() override {
    {
      const std::lock_guard lock(mutex_);
      is_closing_ = true;
    }
    wake_.notify_all();
    if (watcher_.joinable()) watcher_.join();
  }

  [[nodiscard]] int rank() const override { return inner_.rank(); }
  [[nodiscard]] int world_size() const override { return inner_.world_size(); }

  void sum(std::span<double> numbers) override { sum_named(numbers); }
  void sum(std::span<float> numbers) override { sum_named(numbers); }
  void sum(std::span<Float16> numbers) override { sum_named(numbers); }
  void sum(std::span<Bfloat16> numbers) override { sum_named(numbers); }

  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override {
    std::vector<std::string> texts;
    name_errors("the exchange of texts",
                [&] { texts = inner_.all_gather(text); });
    return texts;
  }

  void announce(const char* phase, std::int64_t number) override {
    {
      const std::lock_guard lock(mutex_);
      phase_ = phase;
      number_ = number;
    }
    inner_.announce(phase, number);
  }

  [[nodiscard]] std::vector<int> missing_ranks() const override {
    return inner_.missing_ranks();
  }

  [[nodiscard]] DeviceAllreduce* on_device() override {
    return device_ ? &*device_ : nullptr;
  }

  void cancel(const std::string& sentence) noexcept override {
    inner_.cancel(sentence);
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// The wrapper of a group that can sum on a device.
  class WatchedDevice final : public DeviceAllreduce {
   public:
    WatchedDevice(WatchedAllreduce& watched, DeviceAllreduce& inner)
        : watched_(watched), inner_(inner) {}

    [[nodiscard]] int rank() const override { return inner_.rank(); }
    [[nodiscard]] int world_size() const override {
      return inner_.world_size();
    }
    void sum(std::span<double> numbers) override { watched_.sum(numbers); }
    void sum(std::span<float> numbers) override { watched_.sum(numbers); }
    void sum(std::span<Float16> numbers) override { watched_.sum(numbers); }
    void sum(std::span<Bfloat16> numbers) override { watched_.sum(numbers); }
    [[nodiscard]] std::vector<std::string> all_gather(
        const std::string& text) override {
      return watched_.all_gather(text);
    }
    void announce(const char* phase, std::int64_t number) override {
      watched_.announce(phase, number);
    }
    [[nodiscard]] std::vector<int> missing_ranks() const override {
      return inner_.missing_ranks();
    }
    void cancel(const std::string& sentence) noexcept override {
      inner_.cancel(sentence);
    }

    void sum_on_device(double* numbers, std::size_t count,
                       void* stream) override {
      add_named(numbers, count, stream);
    }
    void sum_on_device(float* numbers, std::size_t count,
                       void* stream) override {
      add_named(numbers, count, stream);
    }
    void wait(void* stream) override {
      watched_.name_errors("a wait for the device",
                           [&] { inner_.wait(stream); });
    }

   private:
    template <typename Number>
    void add_named(Number* numbers, std::size_t count, void* stream) {
      watched_.name_errors(
          "a sum of " + std::to_string(count) + " numbers of the device",
          [&] { inner_.sum_on_device(numbers, count, stream); });
    }

    WatchedAllreduce& watched_;
    DeviceAllreduce& inner_;
  };

  void start_watcher() {
    try {
      watcher_ = std::thread([this] { watch(); });
    } catch (const std::system_error& error) {
      throw ResourceError(
          std::string("could not start a thread that watches the ranks: ")
              .append(error.what()));
    }
  }

  template <typename Number>
  void sum_named(std::span<Number> numbers) {
    name_errors("a sum of " + std::to_string(numbers.size()) + " numbers",
                [&] { inner_.sum(numbers); });
  }

  template <typename Call>
  void name_errors(const std::string& what, const Call& call) {
    const auto start = Clock::now();
    set_start(start);
    const auto end = [](auto* watched) { watched->set_start({}); };
    const std::unique_ptr<WatchedAllreduce, decltype(end)> timed(this, end);
    try {
      call();
    } catch (const CommunicationError& error) {
      const std::chrono::duration<double> elapsed = Clock::now() - start;
      throw error.with_context(place() + ", " + what + ", after " +
                               rounded(elapsed.count()) + " s");
    }
  }

  void set_start(Clock::time_point start) {
    const std::lock_guard lock(mutex_);
    start_ = start;
    is_reported_ = false;
  }

  /// \pre mutex_ is not held by this thread
  [[nodiscard]] std::string place() {
    const std::lock_guard lock(mutex_);
    if (phase_ == nullptr) return "before the first step";
    return std::string(phase_) + ' ' + std::to_string(number_);
  }

  /// Formats seconds, truncated to one decimal.
  static std::string rounded(double seconds) {
    return format_double(
        static_cast<double>(static_cast<std::int64_t>(seconds * 10.0)) / 10.0);
  }

  /// Checks the duration of the current call at regular intervals.
  void watch() {
    std::unique_lock lock(mutex_);
    const std::chrono::duration<double> pause(stall_seconds_ / 10.0);
    while (!is_closing_) {
      wake_.wait_for(lock, pause);
      const std::chrono::duration<double> elapsed = Clock::now() - start_;
      if (start_ == Clock::time_point{} || is_reported_ ||
          elapsed.count() < stall_seconds_) {
        continue;
      }
      is_reported_ = true;
      lock.unlock();
      report(elapsed.count());
      lock.lock();
    }
  }

  /// Reports a stalled call. A report that fails must not end the program.
  void report(double seconds) noexcept {
    try {
      std::string missing;
      for (const int rank : inner_.missing_ranks()) {
        missing +=
            (missing.empty() ? "rank " : ", rank ") + std::to_string(rank);
      }
      if (missing.empty()) missing = "the other ranks";
      on_stall_("rank " + std::to_string(rank()) + " waits for " + missing +
                " in " + place() + ", for " + rounded(seconds) + " s so far");
    } catch (...) {
    }
  }

  Allreduce& inner_;
  std::optional<WatchedDevice> device_;
  double stall_seconds_;
  std::function<void(const std::string&)> on_stall_;
  std::thread watcher_;
  std::mutex mutex_;
  std::condition_variable wake_;
  const char* phase_ = nullptr;
  std::int64_t number_ = 0;
  Clock::time_point start_;  // of the current call; zero between calls
  bool is_reported_ = false;
  bool is_closing_ = false;
};

}  // namespace mlp::distributed
