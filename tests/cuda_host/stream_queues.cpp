// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "stream_queues.hpp"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "execution_settings.hpp"
#include "kernel_error.hpp"

namespace mlp::cuda_host {

namespace {

/// Returns the value of a key, or 0.
std::uint64_t find(const std::map<EventId, std::uint64_t>& marks, EventId key) {
  const auto found = marks.find(key);
  return found == marks.end() ? 0 : found->second;
}

}  // namespace

void StreamQueues::add_work(StreamId stream, std::function<void()> work) {
  add_attempt(stream, [work = std::move(work)] {
    work();
    return true;
  });
}

void StreamQueues::add_attempt(StreamId stream, std::function<bool()> attempt) {
  streams_[stream].push_back({Kind::kWork, std::move(attempt)});
}

void StreamQueues::add_record(StreamId stream, EventId event) {
  streams_[stream].push_back({Kind::kRecord, {}, event, ++recorded_[event]});
}

void StreamQueues::add_wait(StreamId stream, EventId event) {
  const std::uint64_t mark = find(recorded_, event);
  streams_[stream].push_back({Kind::kWait, {}, event, mark});
}

bool StreamQueues::is_empty(StreamId stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() || found->second.empty();
}

bool StreamQueues::is_all_empty() const {
  return std::all_of(streams_.begin(), streams_.end(),
                     [](const auto& entry) { return entry.second.empty(); });
}

bool StreamQueues::is_reached(EventId event) const {
  return find(reached_, event) >= find(recorded_, event);
}

bool StreamQueues::is_runnable(const Item& item) const {
  return item.kind != Kind::kWait || find(reached_, item.event) >= item.mark;
}

/// \return false if the first item is an attempt that did not succeed
bool StreamQueues::run_front(std::deque<Item>& items) {
  Item item = std::move(items.front());
  items.pop_front();
  if (item.work && !item.work()) {
    items.push_front(std::move(item));
    return false;
  }
  if (item.kind == Kind::kRecord) {
    std::uint64_t& reached = reached_[item.event];
    reached = std::max(reached, item.mark);
  }
  return true;
}

StreamQueues::Turn StreamQueues::run_one(std::uint64_t choice) {
  std::vector<std::deque<Item>*> runnable;
  for (auto& [stream, items] : streams_) {
    if (!items.empty() && is_runnable(items.front()))
      runnable.push_back(&items);
  }
  if (runnable.empty()) return Turn::kNothing;
  for (std::size_t i = 0; i < runnable.size(); ++i) {
    if (run_front(*runnable[(choice + i) % runnable.size()])) return Turn::kRan;
  }
  return Turn::kBlocked;
}

void StreamQueues::run_until(const std::function<bool()>& is_done) {
  const std::uint64_t seed = execution_settings().order_seed;
  std::mt19937_64 generator(seed);
  while (!is_done()) {
    const Turn turn = run_one(seed == 0 ? 0 : generator());
    if (turn == Turn::kNothing) {
      throw KernelError("streams wait for events that are never recorded");
    }
    if (turn == Turn::kBlocked) std::this_thread::yield();
  }
}

void StreamQueues::run_all() {
  run_until([this] { return is_all_empty(); });
}

bool StreamQueues::run_available() {
  const std::uint64_t seed = execution_settings().order_seed;
  std::mt19937_64 generator(seed);
  while (!is_all_empty()) {
    const Turn turn = run_one(seed == 0 ? 0 : generator());
    if (turn == Turn::kNothing) {
      throw KernelError("streams wait for events that are never recorded");
    }
    if (turn == Turn::kBlocked) return false;
  }
  return true;
}

}  // namespace mlp::cuda_host
