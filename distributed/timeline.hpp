// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <ostream>
#include <utility>
#include <vector>

#include "../core/json_text.hpp"

namespace mlp::distributed {

/// A record of when one rank computed, sent and waited.
///
/// It keeps the newest spans. Several threads may add spans. write() makes a
/// Chrome trace, which chrome://tracing and Perfetto display. The arrays of
/// several ranks can be joined into one if the clocks of their machines agree.
///
/// \source Google, Trace Event Format (complete events)
class Timeline {
 public:
  /// The two rows of a rank in the trace.
  enum class Row { kCompute, kSend };

  struct Span {
    const char* name = "";  ///< must outlive the timeline
    Row row = Row::kCompute;
    std::int64_t number = 0;  ///< number of the step or the evaluation
    double begin_seconds = 0.0;
    double end_seconds = 0.0;
    std::int64_t bytes = 0;  ///< number of bytes sent; 0 for none
  };

  /// Returns the seconds since 1970. The time never goes back.
  using Clock = std::function<double()>;

  /// \param max_spans  maximum number of spans in memory, >= 1
  explicit Timeline(int rank, std::size_t max_spans = kMaxSpans,
                    Clock clock = steady_clock())
      : rank_(rank), max_spans_(max_spans), clock_(std::move(clock)) {}

  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  [[nodiscard]] double now() const { return clock_(); }

  /// Adds a span. If the timeline is full, it replaces the oldest span.
  void add(const Span& span) {
    const std::lock_guard lock(mutex_);
    if (spans_.size() < max_spans_) {
      spans_.push_back(span);
    } else {
      spans_[num_added_ % max_spans_] = span;
    }
    ++num_added_;
  }

  /// Returns the kept spans, oldest first.
  [[nodiscard]] std::vector<Span> spans() const {
    const std::lock_guard lock(mutex_);
    std::vector<Span> ordered = spans_;
    const std::size_t oldest =
        num_added_ > max_spans_ ? num_added_ % max_spans_ : 0;
    std::rotate(ordered.begin(),
                ordered.begin() + static_cast<std::ptrdiff_t>(oldest),
                ordered.end());
    return ordered;
  }

  /// Writes a JSON array with the names of the rank and of its rows, and one
  /// event per line for each span. Times are in microseconds.
  void write(std::ostream& out) const {
    out << "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" << rank_
        << ",\"args\":{\"name\":\"rank " << rank_ << "\"}}";
    for (const Row row : {Row::kCompute, Row::kSend}) {
      out << ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":" << rank_
          << ",\"tid\":" << static_cast<int>(row) << ",\"args\":{\"name\":\""
          << name_of(row) << "\"}}";
    }
    for (const Span& span : spans()) {
      out << ",\n{\"name\":" << json_string(span.name) << ",\"cat\":\""
          << name_of(span.row)
          << "\",\"ph\":\"X\",\"ts\":" << microseconds(span.begin_seconds)
          << ",\"dur\":"
          << std::max<std::int64_t>(microseconds(span.end_seconds) -
                                        microseconds(span.begin_seconds),
                                    0)
          << ",\"pid\":" << rank_ << ",\"tid\":" << static_cast<int>(span.row)
          << ",\"args\":{\"number\":" << span.number
          << ",\"bytes\":" << span.bytes << "}}";
    }
    out << "\n]\n";
  }

 private:
  static constexpr std::size_t kMaxSpans = std::size_t{1} << 18;

  /// Returns a clock that starts at the current time of day. It then uses the
  /// steady clock, which nobody can set.
  static Clock steady_clock() {
    using Seconds = std::chrono::duration<double>;
    using Steady = std::chrono::steady_clock;
    const double start =
        Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
    return [start, from = Steady::now()] {
      return start + Seconds(Steady::now() - from).count();
    };
  }

  static const char* name_of(Row row) {
    return row == Row::kCompute ? "compute" : "send";
  }

  static std::int64_t microseconds(double seconds) {
    return static_cast<std::int64_t>(seconds * 1e6);
  }

  int rank_;
  std::size_t max_spans_;
  Clock clock_;
  mutable std::mutex mutex_;
  std::vector<Span> spans_;  // a ring buffer if it has max_spans_ spans
  std::size_t num_added_ = 0;
};

/// Adds one span to a timeline, from its construction to its destruction.
///
/// It also adds the span if an exception ends the scope.
class TimelineSpan {
 public:
  /// \param timeline  null records nothing
  TimelineSpan(Timeline* timeline, const char* name, Timeline::Row row,
               std::int64_t number, std::size_t bytes = 0)
      : timeline_(timeline) {
    if (!timeline_) return;
    span_ = {name,   row,
             number, timeline_->now(),
             0.0,    static_cast<std::int64_t>(bytes)};
  }

  TimelineSpan(const TimelineSpan&) = delete;
  TimelineSpan& operator=(const TimelineSpan&) = delete;

  ~TimelineSpan() {
    if (!timeline_) return;
    try {
      span_.end_seconds = timeline_->now();
      timeline_->add(span_);
    } catch (...) {
      // A lost span must not end the training.
    }
  }

 private:
  Timeline* timeline_;
  Timeline::Span span_;
};

}  // namespace mlp::distributed
