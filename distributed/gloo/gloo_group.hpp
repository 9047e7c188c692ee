// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The group of the plugin for Gloo.
#pragma once

// The group of ranks behind gloo_allreduce.hpp.

#include <gloo/transport/unbound_buffer.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "../allreduce.hpp"
#include "gloo_mesh.hpp"
#include "sum_steps.hpp"

namespace mlp::distributed {

/// The last message of a rank that ends the group.
struct LastMessage {
  std::int32_t is_set = 0;
  std::int32_t lost_rank = -1;
  std::array<char, 1016> sentence{};  // ends with a zero
};

/// Adds numbers of one type.
using Add = void (*)(void* into, const void* from, std::size_t size);

/// One sum: its number, its size and the tag of its messages.
struct GlooSum {
  char* numbers = nullptr;
  std::size_t size = 0;
  std::size_t number_bytes = 0;
  Add add = nullptr;
  std::uint64_t number = 0;  ///< 1 for the first sum of the group
  SumSteps steps;

  /// Ranks whose sums differ in length or order do not receive each other's
  /// messages, because Gloo would end the process then.
  [[nodiscard]] std::uint64_t tag() const {
    constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;
    const std::uint64_t order = steps.order() == SumOrder::kRing ? 0 : 1;
    const std::uint64_t kind =
        (((size * 8 + number_bytes) * 2 + order) * kMix) >> 34;
    return ((number & 0xffffffff) << 30) | kind;
  }

  [[nodiscard]] std::string text() const {
    return "sum " + std::to_string(number) + " of " + std::to_string(size) +
           " numbers (" + std::to_string(size * number_bytes) + " bytes)";
  }
};

/// A segment of a range of numbers, from or to another rank.
struct GlooMessage {
  int peer = -1;
  SumSteps::Range range;
  bool is_added = false;  ///< of a message that is received
  int step = 0;
  std::size_t segment = 0;
};

/// A rank of a group that sums over Gloo's connections.
class GlooAllreduce final : public Allreduce {
 public:
  GlooAllreduce(Rendezvous& rendezvous, const GlooOptions& options,
                const std::string& secret);

  /// Leaves the group: the others find a closed connection if they sum once
  /// more.
  ~GlooAllreduce() override;

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int world_size() const override { return world_size_; }
  [[nodiscard]] std::string local_address() const override {
    return mesh_.address;
  }

  void sum(std::span<double> numbers) override;
  void sum(std::span<float> numbers) override;
  void sum(std::span<Float16> numbers) override;
  void sum(std::span<Bfloat16> numbers) override;
  void cancel(const std::string& sentence) noexcept override;

 private:
  using Clock = std::chrono::steady_clock;
  using Buffer = std::unique_ptr<::gloo::transport::UnboundBuffer>;

  /// A rank with a connection to this one. Gloo's buffers are destroyed before
  /// the memory that they use.
  struct Peer {
    LastMessage last_message;
    Buffer incoming;
    Buffer outgoing;
    Buffer receiving_last;
    Buffer closing;  ///< reports that the connection was closed
  };

  void open_buffers();
  void open_buffers(int rank, Peer& peer);
  template <class Number>
  void run(std::span<Number> numbers, Add add);
  void plan(const GlooSum& sum);
  void exchange(const GlooSum& sum);
  void post_receive(const GlooSum& sum, const GlooMessage& message);
  void send(const GlooSum& sum, const GlooMessage& message);
  void take(const GlooSum& sum, const GlooMessage& message);
  void wait_for_send();
  void end_by_message(const LastMessage& message);
  void look_for_messages();
  [[noreturn]] void fail(const std::string& reason);
  void throw_if_ended() const;
  void watch();
  void end_group(int lost_rank, const std::string& sentence,
                 const std::string& last_message);

  [[nodiscard]] char* slot(std::size_t i) {
    return reinterpret_cast<char*>(slots_.data()) + i * SumSteps::kSegmentBytes;
  }
  [[nodiscard]] std::string whereabouts() const {
    const std::chrono::duration<double> elapsed = Clock::now() - start_;
    return "rank " + std::to_string(rank_) + " was in " + sum_.text() +
           " for " + seconds_text(elapsed.count()) + " s";
  }

  const int rank_;
  const int world_size_;
  const double step_seconds_;
  const Clock::duration deadline_;
  const std::string deadline_text_;
  GlooMesh mesh_;

  // Gloo's buffers must be destroyed before the memory that they use.
  std::vector<double> slots_;  ///< to receive in, then to send from
  LastMessage last_message_;
  std::map<int, Peer> peers_;  ///< by rank
  Buffer sending_last_;
  Buffer closing_;

  // Used by the thread that sums:
  std::vector<GlooMessage> receives_;  ///< of the present sum, in order
  std::vector<GlooMessage> sends_;
  std::array<int, 2> sent_to_{};  ///< by slot
  std::size_t num_posted_ = 0;
  std::size_t num_taken_ = 0;
  std::size_t num_sent_ = 0;
  std::size_t num_sends_done_ = 0;
  int waiting_for_ = -1;

  /// The rank that has not begun the sum if its next message does not come; -1 if
  /// no rank is known.
  std::atomic<int> suspect_ = -1;

  mutable std::mutex mutex_;  ///< of the members below
  GlooSum sum_;
  Clock::time_point start_;
  bool is_summing_ = false;
  bool is_ended_ = false;
  bool is_leaving_ = false;
  std::string sentence_;
  int lost_rank_ = -1;
  std::condition_variable leave_;
  std::thread watch_;
};

}  // namespace mlp::distributed
