// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../../distributed/allreduce.hpp"
#include "../../distributed/timeline.hpp"
#include "../network/topology.hpp"
#include "bucket_plan.hpp"
#include "exchange_plan.hpp"

namespace mlp {

/// Sums a gradient over ranks while the caller computes it: a thread sums the
/// buckets in the order of their plan, each as soon as its layers are announced.
///
/// The thread calls the allreduce between start() and finish() only; the caller may
/// at all other times. A gradient of one bucket is summed by finish().
///
/// \tparam Number  of the gradient
template <typename Number>
class GradientSender {
 public:
  /// \param allreduce  must outlive this object, as timeline must
  /// \param topology   copied
  /// \param timeline   may be null
  /// \throws ResourceError if no thread can be started
  GradientSender(distributed::Allreduce& allreduce, const Topology& topology,
                 const ExchangePlan& plan,
                 distributed::Timeline* timeline = nullptr)
      : allreduce_(allreduce),
        topology_(topology),
        timeline_(timeline),
        on_layer_done_([this](Index layer) { layer_done(layer); }) {
    use(plan);
  }

  GradientSender(const GradientSender&) = delete;
  GradientSender& operator=(const GradientSender&) = delete;

  /// Ends the group if a step was not finished: the other ranks would wait for its
  /// buckets, and so would the thread.
  ~GradientSender() {
    bool is_unfinished = false;
    {
      const std::lock_guard lock(mutex_);
      is_closing_ = true;
      is_unfinished = is_sending_;
    }
    wake_.notify_all();
    if (is_unfinished) allreduce_.cancel("left before the end of a step");
    if (thread_.joinable()) thread_.join();
  }

  /// Changes the plan, on all ranks before the same step. Its num_threads is not
  /// used here.
  ///
  /// \pre    no step is in progress
  /// \throws ResourceError if no thread can be started
  void use(const ExchangePlan& plan) {
    wire_ = plan.wire;
    const auto number_bytes = static_cast<Index>(
        wire_ == WireType::kAsComputed ? sizeof(Number) : sizeof(std::int16_t));
    const BucketPlan cuts(topology_, plan.bucket_bytes, number_bytes);
    buckets_ = cuts.buckets();
    const auto size = static_cast<std::size_t>(cuts.max_size());
    halves_.resize(wire_ == WireType::kFloat16 ? size : 0);
    bfloats_.resize(wire_ == WireType::kBfloat16 ? size : 0);
    if (buckets_.size() > 1 && !thread_.joinable()) start_thread();
  }

  /// Begins a step.
  ///
  /// \param gradient  stays alive until finish(), and no bucket whose layers were
  ///                  announced is written to   [num_weights]
  /// \param number    of the step, for the timeline
  void start(Number* gradient, std::int64_t number) {
    {
      const std::lock_guard lock(mutex_);
      gradient_ = gradient;
      number_ = number;
      lowest_done_ = topology_.num_layers();
      error_ = nullptr;
      is_sending_ = buckets_.size() > 1;
    }
    wake_.notify_all();
  }

  /// Announces that the gradients of a layer and of all behind it are final. Any
  /// thread may call it between start() and finish(), in any order of the layers.
  void layer_done(Index layer) {
    {
      const std::lock_guard lock(mutex_);
      if (layer >= lowest_done_) return;
      lowest_done_ = layer;
    }
    wake_.notify_all();
  }

  /// layer_done(), as a MiniBatch takes it.
  [[nodiscard]] const std::function<void(Index)>& on_layer_done() const {
    return on_layer_done_;
  }

  /// How many numbers at the start of the gradient have not been announced: the
  /// caller may still write to them.
  [[nodiscard]] Index num_open() const {
    const std::lock_guard lock(mutex_);
    return lowest_done_ == topology_.num_layers()
               ? topology_.num_weights()
               : topology_.weight_offset(lowest_done_);
  }

  /// Sums the buckets that are left, announced or not, and waits until all are
  /// summed.
  ///
  /// \throws what a sum threw, such as CommunicationError; the group has ended
  void finish() {
    if (buckets_.size() == 1) {
      sum(buckets_.front());
      return;
    }
    layer_done(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return !is_sending_; });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void start_thread() {
    try {
      thread_ = std::thread([this] { serve(); });
    } catch (const std::system_error& error) {
      throw ResourceError(
          std::string("could not start a thread that sends gradients: ")
              .append(error.what()));
    }
  }

  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return is_closing_ || is_sending_; });
      if (is_closing_) return;
      lock.unlock();
      const std::exception_ptr error = send();
      lock.lock();
      error_ = error;
      is_sending_ = false;
      done_.notify_all();
    }
  }

  /// \return what a sum threw
  std::exception_ptr send() {
    try {
      for (const Bucket& bucket : buckets_) {
        if (!wait_for(bucket.layer)) break;
        sum(bucket);
      }
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }

  /// \return false if this object is being destroyed
  bool wait_for(Index layer) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return is_closing_ || lowest_done_ <= layer; });
    return !is_closing_;
  }

  void sum(const Bucket& bucket) {
    Number* const numbers = gradient_ + bucket.first;
    const auto size = static_cast<std::size_t>(bucket.size);
    switch (wire_) {
      case WireType::kAsComputed:
        sum_numbers(std::span(numbers, size));
        break;
      case WireType::kFloat16:
        sum_rounded(numbers, std::span(halves_).first(size));
        break;
      case WireType::kBfloat16:
        sum_rounded(numbers, std::span(bfloats_).first(size));
        break;
    }
  }

  template <typename Wire>
  void sum_numbers(std::span<Wire> numbers) {
    const distributed::TimelineSpan span(timeline_, "sum",
                                         distributed::Timeline::Row::kSend,
                                         number_, numbers.size_bytes());
    allreduce_.sum(numbers);
  }

  /// Every rank rounds its own numbers, and gets the same sums back.
  ///
  /// \param rounded  memory for as many numbers
  template <typename Wire>
  void sum_rounded(Number* numbers, std::span<Wire> rounded) {
    std::transform(numbers, numbers + rounded.size(), rounded.begin(),
                   [](Number x) { return Wire(static_cast<float>(x)); });
    sum_numbers(rounded);
    std::transform(rounded.begin(), rounded.end(), numbers, [](Wire x) {
      return static_cast<Number>(static_cast<float>(x));
    });
  }

  distributed::Allreduce& allreduce_;
  const Topology topology_;
  distributed::Timeline* timeline_;
  const std::function<void(Index)> on_layer_done_;

  // Changed while no step is in progress:
  std::vector<Bucket> buckets_;
  WireType wire_ = WireType::kAsComputed;
  std::vector<distributed::Float16> halves_;  // of a bucket, while it is sent
  std::vector<distributed::Bfloat16> bfloats_;
  Number* gradient_ = nullptr;
  std::int64_t number_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable wake_;  // the thread
  std::condition_variable done_;  // the caller
  Index lowest_done_ = 0;         // layer; num_layers if none is
  bool is_sending_ = false;       // from start() until the last sum
  bool is_closing_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace mlp
