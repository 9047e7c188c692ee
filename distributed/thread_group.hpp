// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "../core/error.hpp"
#include "../core/number_text.hpp"
#include "allreduce.hpp"

namespace mlp::distributed {

/// A group whose ranks are threads of one process.
///
/// Each rank adds its share of the numbers directly in the memory of all ranks,
/// in the order of the ranks.
class ThreadGroup {
 public:
  /// \param world_size        >= 1
  /// \param deadline_seconds  the longest wait of a call for the other ranks
  explicit ThreadGroup(int world_size, double deadline_seconds = 300.0)
      : deadline_seconds_(deadline_seconds),
        slots_(static_cast<std::size_t>(world_size)),
        can_spin_(std::thread::hardware_concurrency() >=
                  static_cast<unsigned>(world_size)) {
    for (int rank = 0; rank < world_size; ++rank) {
      members_.push_back(std::make_unique<Member>(*this, rank));
    }
  }

  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  /// Returns the object of one rank. It is valid as long as the group.
  [[nodiscard]] Allreduce& rank(int rank) {
    return *members_[static_cast<std::size_t>(rank)];
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// The data that a rank shows to the others, on its own cache lines.
  struct alignas(128) Slot {
    std::atomic<std::uint64_t> round{0};  ///< the last round that it reached
    void* numbers = nullptr;
    std::size_t size = 0;
    std::size_t number_bytes = 0;
    const std::string* text = nullptr;
  };

  class Member final : public Allreduce {
   public:
    Member(ThreadGroup& group, int rank) : group_(group), rank_(rank) {}

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int world_size() const override {
      return static_cast<int>(group_.slots_.size());
    }
    void sum(std::span<double> numbers) override { group_.sum(rank_, numbers); }
    void sum(std::span<float> numbers) override { group_.sum(rank_, numbers); }
    void sum(std::span<Float16> numbers) override {
      group_.sum(rank_, numbers);
    }
    void sum(std::span<Bfloat16> numbers) override {
      group_.sum(rank_, numbers);
    }
    [[nodiscard]] std::vector<std::string> all_gather(
        const std::string& text) override {
      return group_.all_gather(rank_, text);
    }
    [[nodiscard]] std::vector<int> missing_ranks() const override {
      return group_.missing_ranks(rank_);
    }
    void cancel(const std::string& sentence) noexcept override {
      group_.cancel(sentence, rank_);
    }

   private:
    ThreadGroup& group_;
    int rank_;
  };

  template <typename Number>
  void sum(int rank, std::span<Number> numbers) {
    Slot& own = slot(rank);
    own.numbers = numbers.data();
    own.size = numbers.size();
    own.number_bytes = sizeof(Number);
    begin_round(rank);
    check_sizes();
    const std::size_t num_ranks = slots_.size();
    const auto place = static_cast<std::size_t>(rank);
    add_range<Number>(numbers.size() * place / num_ranks,
                      numbers.size() * (place + 1) / num_ranks);
    end_round(rank);
  }

  /// Adds a range of the numbers over all ranks and stores the sums in all.
  template <typename Number>
  void add_range(std::size_t begin, std::size_t end) {
    using Accumulator = std::conditional_t<sizeof(Number) == 2, float, Number>;
    if (slots_.size() == 2) return add_pair<Number, Accumulator>(begin, end);
    std::array<Accumulator, kBlock> sums;
    for (std::size_t at = begin; at < end; at += kBlock) {
      const std::size_t size = std::min(kBlock, end - at);
      const auto numbers_of = [&](const Slot& slot) {
        return static_cast<Number*>(slot.numbers) + at;
      };
      const Number* const first = numbers_of(slots_.front());
      for (std::size_t i = 0; i < size; ++i) {
        sums[i] = static_cast<Accumulator>(first[i]);
      }
      for (std::size_t r = 1; r < slots_.size(); ++r) {
        const Number* const other = numbers_of(slots_[r]);
        for (std::size_t i = 0; i < size; ++i) {
          sums[i] += static_cast<Accumulator>(other[i]);
        }
      }
      for (const Slot& slot : slots_) {
        Number* const to = numbers_of(slot);
        for (std::size_t i = 0; i < size; ++i) {
          to[i] = static_cast<Number>(sums[i]);
        }
      }
    }
  }

  /// Does the same for two ranks, in one pass.
  template <typename Number, typename Accumulator>
  void add_pair(std::size_t begin, std::size_t end) {
    Number* const one = static_cast<Number*>(slots_[0].numbers);
    Number* const other = static_cast<Number*>(slots_[1].numbers);
    for (std::size_t i = begin; i < end; ++i) {
      const auto sum = static_cast<Number>(static_cast<Accumulator>(one[i]) +
                                           static_cast<Accumulator>(other[i]));
      one[i] = sum;
      other[i] = sum;
    }
  }

  std::vector<std::string> all_gather(int rank, const std::string& text) {
    slot(rank).text = &text;
    begin_round(rank);
    std::vector<std::string> texts;
    try {
      for (const Slot& slot : slots_) texts.push_back(*slot.text);
    } catch (...) {
      // Out of memory: the others wait in end_round() without a deadline.
      end_round(rank);
      throw;
    }
    end_round(rank);
    return texts;
  }

  /// Checks that all ranks sum the same count and type of numbers. All ranks
  /// see the same slots, so either all of them throw or none.
  void check_sizes() {
    const Slot& first = slots_.front();
    for (std::size_t r = 0; r < slots_.size(); ++r) {
      const Slot& other = slots_[r];
      if (other.size == first.size &&
          other.number_bytes == first.number_bytes) {
        continue;
      }
      cancel("every rank must sum as many numbers as rank 0, " +
                 std::to_string(first.size) + " of " +
                 std::to_string(first.number_bytes) + " bytes; got " +
                 std::to_string(other.size) + " of " +
                 std::to_string(other.number_bytes),
             static_cast<int>(r));
      refuse();
    }
  }

  /// Waits until every rank has started this round. Each rank may then use the
  /// memory of the others.
  ///
  /// \throws CommunicationError if a rank is too late or the group has ended
  void begin_round(int rank) {
    std::uint64_t seen = state_;
    do {
      if (seen & kCancelled) refuse();
    } while (!state_.compare_exchange_weak(seen, seen + 1));
    const std::uint64_t round = ++slot(rank).round;
    wake_sleepers();
    const auto is_over = [&] { return has_met(round) || is_cancelled(); };
    if (!spin_until(is_over)) {
      sleep_until(
          is_over,
          Clock::now() + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(deadline_seconds_)));
    }
    if (!has_met(round)) leave_or_refuse(rank, round);
  }

  /// Waits until no rank uses the memory of another. There is no deadline: all
  /// ranks are computing, and none may return before the others have finished.
  void end_round(int rank) {
    ++state_;
    const std::uint64_t round = ++slot(rank).round;
    wake_sleepers();
    const auto is_over = [&] { return has_met(round); };
    if (!spin_until(is_over)) sleep_until(is_over, std::nullopt);
  }

  void wake_sleepers() {
    if (num_sleepers_ == 0) return;
    const std::lock_guard lock(mutex_);
    wake_.notify_all();
  }

  template <typename Condition>
  bool spin_until(const Condition& condition) const {
    for (int look = 0; look < kMaxLooks; ++look) {
      if (condition()) return true;
      if (can_spin_ && look < kMaxLooks / 2) {
        pause();
      } else {
        std::this_thread::yield();
      }
    }
    return false;
  }

  template <typename Condition>
  void sleep_until(const Condition& condition,
                   const std::optional<Clock::time_point>& deadline) {
    std::unique_lock lock(mutex_);
    // Count this thread before it tests the condition, so that a rank that
    // arrives later sees the count and wakes it.
    ++num_sleepers_;
    if (deadline) {
      wake_.wait_until(lock, *deadline, condition);
    } else {
      wake_.wait(lock, condition);
    }
    --num_sleepers_;
  }

  /// Ends the group and throws, unless the last rank arrives in this moment.
  void leave_or_refuse(int rank, std::uint64_t round) {
    if (!is_cancelled()) {
      const std::vector<int> missing = missing_ranks(rank);
      const int blamed = missing.empty() ? rank : missing.front();
      const std::string sentence =
          "did not arrive within " + format_double(deadline_seconds_) +
          " s at the call in which rank " + std::to_string(rank) + " waits";
      const std::lock_guard lock(mutex_);
      std::uint64_t seen = state_;
      do {
        if (seen >= round * slots_.size() && !(seen & kCancelled)) return;
      } while (!state_.compare_exchange_weak(seen, seen | kCancelled));
      if (!(seen & kCancelled)) {
        sentence_ = sentence;
        blamed_ = blamed;
        wake_.notify_all();
      }
    }
    refuse();
  }

  [[nodiscard]] bool has_met(std::uint64_t round) const {
    return (state_ & ~kCancelled) >= round * slots_.size();
  }

  [[nodiscard]] bool is_cancelled() const { return (state_ & kCancelled) != 0; }

  [[nodiscard]] std::vector<int> missing_ranks(int rank) const {
    const std::uint64_t round = slots_[static_cast<std::size_t>(rank)].round;
    std::vector<int> missing;
    for (std::size_t r = 0; r < slots_.size(); ++r) {
      if (slots_[r].round < round) missing.push_back(static_cast<int>(r));
    }
    return missing;
  }

  void cancel(const std::string& sentence, int blamed) noexcept {
    const std::lock_guard lock(mutex_);
    if (is_cancelled()) return;
    try {
      sentence_ = sentence;
    } catch (...) {
      sentence_.clear();
    }
    blamed_ = blamed;
    state_ |= kCancelled;
    wake_.notify_all();
  }

  [[noreturn]] void refuse() {
    const std::lock_guard lock(mutex_);
    throw CommunicationError(blamed_, sentence_);
  }

  Slot& slot(int rank) { return slots_[static_cast<std::size_t>(rank)]; }

  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }

  static constexpr std::uint64_t kCancelled = std::uint64_t{1} << 63;

  static constexpr std::size_t kBlock = 512;

  /// Tests of the condition before a rank sleeps: a few microseconds.
  static constexpr int kMaxLooks = 2000;

  double deadline_seconds_;
  std::vector<Slot> slots_;

  /// The number of times that a rank started or ended a round, and in the
  /// highest bit whether the group has ended. Both are one word, so that a
  /// round starts for all ranks or for none.
  std::atomic<std::uint64_t> state_{0};

  bool can_spin_;
  std::vector<std::unique_ptr<Member>> members_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<int> num_sleepers_{0};
  std::string sentence_;
  int blamed_ = -1;
};

}  // namespace mlp::distributed
