// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "gloo_group.hpp"

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

/// The number of segments that are in transfer in each direction.
constexpr std::size_t kNumSlots = 2;

/// The tags of messages. Sums have smaller tags.
constexpr std::uint64_t kLastMessageTag = ~std::uint64_t{0};
constexpr std::uint64_t kReceiveWatchTag = ~std::uint64_t{1};
constexpr std::uint64_t kSendWatchTag = ~std::uint64_t{2};

/// watch() checks the deadline.
constexpr std::chrono::hours kForever{24 * 366};

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

}  // namespace

GlooAllreduce::GlooAllreduce(Rendezvous& rendezvous, const GlooOptions& options,
                             const std::string& secret)
    : rank_(rendezvous.rank()),
      world_size_(rendezvous.world_size()),
      left_((rank_ + world_size_ - 1) % world_size_),
      right_((rank_ + 1) % world_size_),
      deadline_(waiting_time(options.deadline_seconds)),
      deadline_text_(seconds_text(options.deadline_seconds) + " s"),
      mesh_(connect_mesh(rendezvous, options, secret)),
      slots_(2 * kNumSlots * RingLayout::kSegmentBytes / sizeof(double)),
      received_(static_cast<std::size_t>(world_size_)) {
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
  constexpr std::size_t kBytes = kNumSlots * RingLayout::kSegmentBytes;
  incoming_ = context.createUnboundBuffer(slot(0), kBytes);
  outgoing_ = context.createUnboundBuffer(slot(kNumSlots), kBytes);
  sending_last_ =
      context.createUnboundBuffer(&last_message_, sizeof last_message_);
  closing_ = context.createUnboundBuffer(&last_message_, sizeof last_message_);
  for (int r = 0; r < world_size_; ++r) {
    receiving_last_.push_back(context.createUnboundBuffer(
        &received_[static_cast<std::size_t>(r)], sizeof(LastMessage)));
    if (r != rank_) {
      receiving_last_.back()->recv(r, kLastMessageTag, 0, sizeof(LastMessage));
    }
  }
  incoming_->recv(right_, kReceiveWatchTag, 0, 0);
  outgoing_->recv(left_, kSendWatchTag, 0, 0);
}

template <class Number>
void GlooAllreduce::run(std::span<Number> numbers, Add addition) {
  if (numbers.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    throw_if_ended();
    sum_ = GlooSum{reinterpret_cast<char*>(numbers.data()),
                   numbers.size(),
                   sizeof(Number),
                   addition,
                   sum_.number + 1,
                   RingLayout(numbers.size(), sizeof(Number),
                              static_cast<std::size_t>(world_size_))};
    start_ = Clock::now();
    is_summing_ = true;
    has_received_right_ = false;
  }
  const SigpipeGuard guard;
  try {
    pass_around(sum_);
  } catch (const std::exception& error) {
    fail(error.what());
  }
  const std::lock_guard lock(mutex_);
  is_summing_ = false;
}

/// Sends each chunk around the ring, from right to left: in the first half each
/// rank adds its numbers, in the second it takes the sums.
///
/// There is no deadlock: item i is sent after item i - num_segments was
/// received, and all ranks send, receive and take in the order of i.
void GlooAllreduce::pass_around(const GlooSum& sum) {
  const std::size_t num_items = sum.layout.num_items();
  post_receive(sum, 0);
  for (std::size_t i = 0; i < num_items; ++i) {
    if (i + 1 < num_items) post_receive(sum, i + 1);
    send(sum, i);
    take(sum, i);
  }
  while (num_sends_done_ < num_sent_) wait_for_send();
}

void GlooAllreduce::post_receive(const GlooSum& sum, std::size_t i) {
  const RingLayout::Range item =
      sum.layout.item(static_cast<std::size_t>(right_), i);
  waiting_for_ = right_;
  incoming_->recv(right_, sum.tag(),
                  num_posted_++ % kNumSlots * RingLayout::kSegmentBytes,
                  item.size * sum.number_bytes);
}

void GlooAllreduce::send(const GlooSum& sum, std::size_t i) {
  const RingLayout::Range item =
      sum.layout.item(static_cast<std::size_t>(rank_), i);
  if (num_sent_ - num_sends_done_ == kNumSlots) wait_for_send();
  const std::size_t to = num_sent_++ % kNumSlots;
  const std::size_t bytes = item.size * sum.number_bytes;
  std::memcpy(slot(kNumSlots + to), sum.numbers + item.begin * sum.number_bytes,
              bytes);
  waiting_for_ = left_;
  outgoing_->send(left_, sum.tag(), to * RingLayout::kSegmentBytes, bytes);
}

void GlooAllreduce::take(const GlooSum& sum, std::size_t i) {
  const RingLayout::Range item =
      sum.layout.item(static_cast<std::size_t>(right_), i);
  waiting_for_ = right_;
  wait([this] { return incoming_->waitRecv(kForever); });
  const char* from = slot(num_taken_++ % kNumSlots);
  char* to = sum.numbers + item.begin * sum.number_bytes;
  if (i < sum.layout.num_items() / 2) {
    sum.add(to, from, item.size);
  } else {
    std::memcpy(to, from, item.size * sum.number_bytes);
  }
  if (i == 0) {
    const std::lock_guard lock(mutex_);
    has_received_right_ = true;
  }
}

void GlooAllreduce::wait_for_send() {
  waiting_for_ = left_;
  wait([this] { return outgoing_->waitSend(kForever); });
  ++num_sends_done_;
}

/// Reports a lost connection, with the last message of the rank that closed it
/// if there is one.
void GlooAllreduce::fail(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  is_summing_ = false;
  throw_if_ended();
  // The connection is closed, so Gloo does not write here any more.
  const LastMessage& word = received_[static_cast<std::size_t>(waiting_for_)];
  if (word.is_set != 0) {
    const std::string sentence(
        word.sentence.data(),
        ::strnlen(word.sentence.data(), word.sentence.size()));
    end_group(word.lost_rank, sentence + "; " + whereabouts(), sentence);
  } else {
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
  // A rank that has received from its right neighbour waits a little longer for
  // the message of a rank that has not, which names the lost rank.
  constexpr std::chrono::milliseconds kGrace{200};
  std::unique_lock lock(mutex_);
  while (!is_leaving_ && !is_ended_) {
    const Clock::time_point now = Clock::now();
    const Clock::time_point begin = is_summing_ ? start_ : now;
    const Clock::time_point end =
        begin + deadline_ +
        (is_summing_ && has_received_right_ ? kGrace
                                            : std::chrono::milliseconds(0));
    if (now < end) {
      leave_.wait_until(lock, end);
      continue;
    }
    const std::string sentence =
        "no answer within " + deadline_text_ + "; " + whereabouts() +
        (has_received_right_ ? std::string(" and cannot tell which rank hangs")
                             : std::string(" and has received nothing from ")
                                   .append("rank " + std::to_string(right_)));
    end_group(has_received_right_ ? -1 : right_, sentence, sentence);
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
  for (int r = 0; r < world_size_; ++r) {
    if (r == rank_) continue;
    try {
      sending_last_->send(r, kLastMessageTag, 0, sizeof last_message_);
    } catch (const std::exception&) {
      // That rank has left already.
    }
  }
  // A connection that is closed with something unread is reset, and then Linux
  // drops a message that the peer has not read yet. A rank that forwards the
  // last message of another rank need not wait, because all ranks have that
  // message.
  constexpr std::chrono::milliseconds kReadingTime{50};
  if (sentence == last_message) std::this_thread::sleep_for(kReadingTime);
  try {
    // A wait with no timeout left makes Gloo close all connections;
    // closeConnections() would reset them.
    static_cast<void>(closing_->waitRecv(std::chrono::milliseconds(0)));
  } catch (const std::exception&) {
    // So it says that it has.
  }
  incoming_->abortWaitRecv();
  outgoing_->abortWaitSend();
}

}  // namespace mlp::distributed
