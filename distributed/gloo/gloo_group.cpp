// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "gloo_group.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include "../../core/error.hpp"
#include "../../core/types.hpp"

namespace mlp::distributed {

namespace {

/// The number of segments for which there is memory in each direction. Receives are
/// announced a step earlier, so that a sender need not wait for the announcement.
constexpr std::size_t kNumReceives = 4;
constexpr std::size_t kNumSends = 2;

/// A connection that is closed with something unread is reset, and then Linux
/// drops a message that the peer has not read yet.
constexpr std::chrono::milliseconds kReadingTime{50};
constexpr std::chrono::milliseconds kForwardedReadingTime{10};

/// The tags of messages. Sums have smaller tags.
constexpr std::uint64_t kLastMessageTag = ~std::uint64_t{0};
constexpr std::uint64_t kReceiveWatchTag = ~std::uint64_t{1};
constexpr std::uint64_t kSendWatchTag = ~std::uint64_t{2};
constexpr std::uint64_t kCloseWatchTag = ~std::uint64_t{3};

/// watch() checks the deadline.
constexpr std::chrono::hours kForever{24 * 366};

/// How long a rank takes to pass on a last message.
constexpr std::chrono::milliseconds kForwardTime{60};

/// The time between two looks for last messages of ranks for which no sum waits.
constexpr std::chrono::milliseconds kLookTime{50};

template <class Number, class Accumulator>
void add(void* into, const void* from, std::size_t size) {
  using Numbers = Eigen::Array<Number, Eigen::Dynamic, 1>;
  Eigen::Map<Numbers> sums(static_cast<Number*>(into),
                           static_cast<Index>(size));
  const Eigen::Map<const Numbers> numbers(static_cast<const Number*>(from),
                                          static_cast<Index>(size));
  sums =
      (sums.template cast<Accumulator>() + numbers.template cast<Accumulator>())
          .template cast<Number>();
}

/// Waits for a message of Gloo.
///
/// A peer that has sent everything and left closes the connection. If both
/// happen before this thread wakes, Gloo throws although the message has
/// arrived. A second call looks for the message first.
template <class Wait>
void wait(const Wait& is_done) {
  bool has_come = false;
  try {
    has_come = is_done();
  } catch (const std::exception&) {
    has_come = is_done();
  }
  if (!has_come) throw CommunicationError("the wait was ended");
}

/// Tests, without waiting, whether the connection of a buffer is closed.
bool is_closed(::gloo::transport::UnboundBuffer& buffer) {
  buffer.abortWaitRecv();
  try {
    static_cast<void>(
        buffer.waitRecv(kForever));  // aborted, unless it is closed
  } catch (const std::exception&) {
    return true;
  }
  return false;
}

}  // namespace

GlooAllreduce::GlooAllreduce(Rendezvous& rendezvous, const GlooOptions& options,
                             const std::string& secret)
    : rank_(rendezvous.rank()),
      world_size_(rendezvous.world_size()),
      step_seconds_(options.step_seconds),
      deadline_(waiting_time(options.deadline_seconds)),
      deadline_text_(seconds_text(options.deadline_seconds) + " s"),
      mesh_(connect_mesh(rendezvous, options, secret)),
      slots_((kNumReceives + kNumSends) * SumSteps::kSegmentBytes /
             sizeof(double)) {
  const SigpipeGuard guard;
  try {
    open_buffers();
  } catch (const std::exception& error) {
    throw CommunicationError(
        std::string("the connections of rank ")
            .append(std::to_string(rank_))
            .append(std::string(" were lost immediately; ") +
                    "Gloo reports: " + error.what()));
  }
  watch_ = std::thread([this] { watch(); });
}

GlooAllreduce::~GlooAllreduce() {
  {
    const std::lock_guard lock(mutex_);
    is_leaving_ = true;
  }
  leave_.notify_all();
  watch_.join();
}

void GlooAllreduce::sum(std::span<double> numbers) {
  run(numbers, &add<double, double>);
}
void GlooAllreduce::sum(std::span<float> numbers) {
  run(numbers, &add<float, float>);
}
void GlooAllreduce::sum(std::span<Float16> numbers) {
  run(numbers, &add<Float16, float>);
}
void GlooAllreduce::sum(std::span<Bfloat16> numbers) {
  run(numbers, &add<Bfloat16, float>);
}

void GlooAllreduce::cancel(const std::string& sentence) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    end_group(rank(), sentence, sentence);
  } catch (const std::exception&) {
    // The sentence needs memory that is missing. The deadline ends the group.
  }
}

/// Gloo reports a lost connection to a buffer only while a message is announced
/// whose transfer has not begun. Without more, a loss during the last message
/// would be noticed only at the deadline. An announced message of no bytes that
/// is never sent makes Gloo report every loss.
void GlooAllreduce::open_buffers() {
  ::gloo::Context& context = *mesh_.context;
  sending_last_ =
      context.createUnboundBuffer(&last_message_, sizeof last_message_);
  closing_ = context.createUnboundBuffer(&last_message_, sizeof last_message_);
  for (const int r : SumSteps::partners(rank_, world_size_)) {
    open_buffers(r, peers_[r]);
  }
}

/// Each rank has buffers of its own: a rank that has left after its last sum does
/// not disturb the wait for another one.
void GlooAllreduce::open_buffers(int rank, Peer& peer) {
  ::gloo::Context& context = *mesh_.context;
  constexpr std::size_t kBytes = SumSteps::kSegmentBytes;
  peer.incoming = context.createUnboundBuffer(slot(0), kNumReceives * kBytes);
  peer.outgoing =
      context.createUnboundBuffer(slot(kNumReceives), kNumSends * kBytes);
  peer.receiving_last =
      context.createUnboundBuffer(&peer.last_message, sizeof(LastMessage));
  peer.closing = context.createUnboundBuffer(&peer.last_message, 0);
  peer.closing->recv(rank, kCloseWatchTag, 0, 0);
  peer.receiving_last->recv(rank, kLastMessageTag, 0, sizeof(LastMessage));
  peer.incoming->recv(rank, kReceiveWatchTag, 0, 0);
  peer.outgoing->recv(rank, kSendWatchTag, 0, 0);
}

template <class Number>
void GlooAllreduce::run(std::span<Number> numbers, Add addition) {
  if (numbers.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    throw_if_ended();
    sum_ = GlooSum{
        reinterpret_cast<char*>(numbers.data()),
        numbers.size(),
        sizeof(Number),
        addition,
        sum_.number + 1,
        SumSteps(choose_order(world_size_, numbers.size_bytes(), step_seconds_),
                 numbers.size(), rank_, world_size_)};
    start_ = Clock::now();
    is_summing_ = true;
    suspect_ = -1;
  }
  const SigpipeGuard guard;
  try {
    plan(sum_);
    exchange(sum_);
  } catch (const std::exception& error) {
    fail(error.what());
  }
  const std::lock_guard lock(mutex_);
  is_summing_ = false;
}

/// Lists the messages of a sum, in the order of steps and segments.
void GlooAllreduce::plan(const GlooSum& sum) {
  receives_.clear();
  sends_.clear();
  const auto add_segments = [&](std::vector<GlooMessage>& to,
                                const GlooMessage& whole) {
    if (whole.peer < 0) return;
    const std::size_t n = SumSteps::num_segments(whole.range, sum.number_bytes);
    for (std::size_t i = 0; i < n; ++i) {
      to.push_back({whole.peer, SumSteps::part(whole.range, i, n),
                    whole.is_added, whole.step, i});
    }
  };
  for (int i = 0; i < sum.steps.num_steps(); ++i) {
    const SumSteps::Step step = sum.steps.step(i);
    add_segments(sends_, {step.to, step.sent, false, i, 0});
    add_segments(receives_, {step.from, step.received, step.is_added, i, 0});
  }
}

/// Sends and takes all messages of a sum. A message is sent after those of earlier
/// steps were taken, and at most one segment ahead of those of its own step.
///
/// There is no deadlock: all ranks send and take in the order of steps and
/// segments, and announce the messages after the one that they wait for.
void GlooAllreduce::exchange(const GlooSum& sum) {
  std::size_t next = 0;
  std::size_t posted = 0;
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    const GlooMessage& awaited = receives_[i];
    while (posted < std::min(i + kNumReceives, receives_.size())) {
      post_receive(sum, receives_[posted++]);
    }
    const auto is_ready = [&](const GlooMessage& message) {
      return message.step < awaited.step ||
             (message.step == awaited.step &&
              message.segment <= awaited.segment + 1);
    };
    while (next < sends_.size() && is_ready(sends_[next])) {
      send(sum, sends_[next++]);
    }
    take(sum, awaited);
  }
  while (next < sends_.size()) send(sum, sends_[next++]);
  while (num_sends_done_ < num_sent_) wait_for_send();
}

void GlooAllreduce::post_receive(const GlooSum& sum,
                                 const GlooMessage& message) {
  waiting_for_ = message.peer;
  peers_.at(message.peer)
      .incoming->recv(message.peer, sum.tag(),
                      num_posted_++ % kNumReceives * SumSteps::kSegmentBytes,
                      message.range.size * sum.number_bytes);
}

void GlooAllreduce::send(const GlooSum& sum, const GlooMessage& message) {
  if (num_sent_ - num_sends_done_ == kNumSends) wait_for_send();
  const std::size_t to = num_sent_++ % kNumSends;
  const std::size_t bytes = message.range.size * sum.number_bytes;
  std::memcpy(slot(kNumReceives + to),
              sum.numbers + message.range.begin * sum.number_bytes, bytes);
  sent_to_[to] = message.peer;
  waiting_for_ = message.peer;
  peers_.at(message.peer)
      .outgoing->send(message.peer, sum.tag(), to * SumSteps::kSegmentBytes,
                      bytes);
}

void GlooAllreduce::take(const GlooSum& sum, const GlooMessage& message) {
  waiting_for_ = message.peer;
  if (message.segment == 0) {
    const bool shows_begin = sum.steps.is_first_of(message.peer, message.step);
    suspect_ = shows_begin ? message.peer : -1;
  }
  wait([&] { return peers_.at(message.peer).incoming->waitRecv(kForever); });
  suspect_ = -1;
  const char* from = slot(num_taken_++ % kNumReceives);
  char* to = sum.numbers + message.range.begin * sum.number_bytes;
  if (message.is_added) {
    sum.add(to, from, message.range.size);
  } else {
    std::memcpy(to, from, message.range.size * sum.number_bytes);
  }
}

void GlooAllreduce::wait_for_send() {
  waiting_for_ = sent_to_[num_sends_done_ % kNumSends];
  wait([this] { return peers_.at(waiting_for_).outgoing->waitSend(kForever); });
  ++num_sends_done_;
}

/// \pre mutex_ is held
void GlooAllreduce::end_by_message(const LastMessage& message) {
  const std::string sentence(
      message.sentence.data(),
      ::strnlen(message.sentence.data(), message.sentence.size()));
  end_group(message.lost_rank, sentence + "; " + whereabouts(), sentence);
}

/// Passes on a last message of a rank for which this one does not wait, so that
/// it reaches all ranks after log2 n of them. A rank that has left without one
/// has left after its last sum, or another rank waits for it.
///
/// \pre mutex_ is held
void GlooAllreduce::look_for_messages() {
  for (const auto& [r, peer] : peers_) {
    if (is_closed(*peer.closing) && peer.last_message.is_set != 0) {
      return end_by_message(peer.last_message);
    }
  }
}

/// Reports a lost connection, with the last message of the rank that closed it
/// if there is one.
void GlooAllreduce::fail(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  is_summing_ = false;
  throw_if_ended();
  look_for_messages();
  const auto closed = peers_.find(waiting_for_);
  if (!is_ended_ && closed != peers_.end() &&
      closed->second.last_message.is_set != 0) {
    end_by_message(closed->second.last_message);
  }
  if (!is_ended_) {
    const std::string sentence = "the connection was lost while " +
                                 whereabouts() + "; Gloo reports: " + reason;
    end_group(waiting_for_, sentence, sentence);
  }
  throw_if_ended();
  std::rethrow_exception(std::current_exception());
}

/// \pre mutex_ is held
void GlooAllreduce::throw_if_ended() const {
  if (!is_ended_) return;
  if (lost_rank_ < 0) throw CommunicationError(sentence_);
  throw CommunicationError(lost_rank_, sentence_);
}

/// Ends the group at the deadline of a sum. Gloo's own deadline would close
/// the connections before a last message can be sent.
void GlooAllreduce::watch() {
  // A rank that does not know who has not begun waits a little longer for the
  // message of a rank that knows, which names the lost rank.
  const std::chrono::milliseconds grace =
      kForwardTime * (std::bit_width(static_cast<unsigned>(world_size_)) + 2);
  std::unique_lock lock(mutex_);
  while (!is_leaving_ && !is_ended_) {
    const Clock::time_point now = Clock::now();
    const Clock::time_point begin = is_summing_ ? start_ : now;
    const int suspect = suspect_;
    const Clock::time_point end =
        begin + deadline_ +
        (is_summing_ && suspect < 0 ? grace : std::chrono::milliseconds(0));
    if (now < end) {
      leave_.wait_until(lock, std::min(end, now + kLookTime));
      if (is_summing_) look_for_messages();
      continue;
    }
    const std::string sentence =
        "no answer within " + deadline_text_ + "; " + whereabouts() +
        (suspect < 0 ? std::string(" and cannot tell which rank hangs")
                     : std::string(" and has received nothing from ")
                           .append("rank " + std::to_string(suspect)));
    end_group(suspect, sentence, sentence);
  }
}

/// Sends the last message, closes all connections, so that the other ranks stop
/// waiting and do the same, and ends this rank's own wait.
///
/// \param last_message  the sentence for the others
/// \pre   mutex_ is held
void GlooAllreduce::end_group(int lost_rank, const std::string& sentence,
                              const std::string& last_message) {
  if (is_ended_) return;
  const SigpipeGuard guard;
  sentence_ = sentence;
  lost_rank_ = lost_rank;
  is_ended_ = true;
  last_message_.is_set = 1;
  last_message_.lost_rank = lost_rank;
  last_message.copy(last_message_.sentence.data(),
                    last_message_.sentence.size() - 1);
  for (const auto& [r, peer] : peers_) {
    try {
      sending_last_->send(r, kLastMessageTag, 0, sizeof last_message_);
    } catch (const std::exception&) {
      // That rank has left already.
    }
  }
  // The ranks on the way from the first one to the last one wait in turn.
  std::this_thread::sleep_for(sentence == last_message ? kReadingTime
                                                       : kForwardedReadingTime);
  try {
    // A wait with no timeout left makes Gloo close all connections;
    // closeConnections() would reset them.
    static_cast<void>(closing_->waitRecv(std::chrono::milliseconds(0)));
  } catch (const std::exception&) {
    // So it says that it has.
  }
  for (const auto& [r, peer] : peers_) {
    peer.incoming->abortWaitRecv();
    peer.outgoing->abortWaitSend();
  }
}

}  // namespace mlp::distributed
