// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>

namespace mlp::cuda_host {

/// One of the device's streams or events, by the order in which they were made.
using StreamId = std::uint64_t;
using EventId = std::uint64_t;

/// The work of several streams that has not run yet.
///
/// Work of one stream runs in order. Streams take turns in the order of
/// execution_settings(), unless one waits for an event of another.
class StreamQueues {
 public:
  /// Adds work to the end of a stream.
  void add_work(StreamId stream, std::function<void()> work);

  /// Adds work that is called until it returns true.
  void add_attempt(StreamId stream, std::function<bool()> attempt);

  /// Adds a mark to the end of a stream. The event then means this mark.
  void add_record(StreamId stream, EventId event);

  /// Lets later work of a stream wait for the last mark of an event; an event
  /// without a mark is not waited for.
  void add_wait(StreamId stream, EventId event);

  /// Returns true if nothing is left in a stream.
  [[nodiscard]] bool is_empty(StreamId stream) const;

  /// Returns true if nothing is left in any stream.
  [[nodiscard]] bool is_all_empty() const;

  /// Returns true if the last mark of an event has been reached.
  [[nodiscard]] bool is_reached(EventId event) const;

  /// Returns true if a stream has had work, a mark or a wait.
  [[nodiscard]] bool has_stream(StreamId stream) const {
    return streams_.count(stream) != 0;
  }

  /// Returns true if an event has a mark.
  [[nodiscard]] bool has_record(EventId event) const {
    return recorded_.count(event) != 0;
  }

  /// Runs work of all streams until a condition holds.
  ///
  /// \throws KernelError if streams wait for marks that nobody makes; what the
  ///         work throws
  void run_until(const std::function<bool()>& is_done);

  /// Runs all work.
  void run_all();

  /// Runs work until the rest waits for attempts that have not succeeded.
  ///
  /// \return true if nothing is left
  bool run_available();

 private:
  enum class Kind { kWork, kRecord, kWait };

  /// Whether a turn found work.
  enum class Turn { kRan, kBlocked, kNothing };

  struct Item {
    Kind kind;
    std::function<bool()> work;  ///< returns true if it is done
    EventId event = 0;
    std::uint64_t mark = 0;
  };

  [[nodiscard]] bool is_runnable(const Item& item) const;
  [[nodiscard]] bool run_front(std::deque<Item>& items);
  [[nodiscard]] Turn run_one(std::uint64_t choice);

  std::map<StreamId, std::deque<Item>> streams_;
  std::map<EventId, std::uint64_t> recorded_;  ///< the last mark of each event
  std::map<EventId, std::uint64_t> reached_;
};

}  // namespace mlp::cuda_host
