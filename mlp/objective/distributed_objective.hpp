// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../distributed/allreduce.hpp"
#include "../../distributed/exact_sum.hpp"
#include "../../distributed/timeline.hpp"
#include "../../optim/objective.hpp"
#include "../exchange/rank_status.hpp"
#include "training_objective.hpp"

namespace mlp {

/// The objective of all ranks, of which each has the part of its own instances:
/// one sum over the ranks per evaluation, of gradient, objective, weight and
/// status together. All ranks get the same bits, and so walk the same path.
///
/// Two ways to add: in the order of the transport, whose bits depend on the number
/// of ranks; or exactly, leaf by leaf, whose bits do not (ExactSum).
class DistributedObjective {
 public:
  /// The own parts; they must outlive this object. With exact sums each is a run
  /// of leaves of the whole; else there is at most one.
  using Parts = std::vector<std::unique_ptr<TrainingObjective>>;

  /// \param weight       of this rank's instances: their share of 1
  /// \param is_stopping  asks all ranks to stop; may be null
  /// \param timeline     records computing and sending; may be null
  DistributedObjective(distributed::Allreduce& allreduce, Parts parts,
                       Index num_weights, double weight, bool is_exact,
                       const std::atomic<bool>* is_stopping,
                       distributed::Timeline* timeline = nullptr)
      : allreduce_(allreduce),
        parts_(std::move(parts)),
        num_weights_(num_weights),
        weight_(weight),
        is_exact_(is_exact),
        is_stopping_(is_stopping),
        timeline_(timeline),
        gradient_(is_exact ? num_weights : 0),
        sums_(is_exact ? num_weights + 1 : 0,
              is_exact ? static_cast<Index>(RankStatus::kSize) : 0),
        buffer_(is_exact ? 0
                         : static_cast<std::size_t>(num_weights) + 1 +
                               RankStatus::kSize) {}

  /// \param      weights   [num_weights]
  /// \param[out] gradient  [num_weights]
  /// \return f(weights), in nats
  /// \throws optim::Interrupted on all ranks where one asked to stop;
  ///         CommunicationError where one is lost or failed
  double value_and_gradient(const Vector& weights, Vector& gradient) {
    ++num_evaluations_;
    allreduce_.announce("evaluation", num_evaluations_);
    return is_exact_ ? sum_exactly(weights, gradient)
                     : sum_plainly(weights, gradient);
  }

  /// Makes the next evaluation throw optim::Interrupted on all ranks. Any thread
  /// may call it.
  void request_stop() { is_stop_requested_ = true; }

 private:
  using Row = distributed::Timeline::Row;
  using Span = distributed::TimelineSpan;

  double sum_plainly(const Vector& weights, Vector& gradient) {
    const auto size = static_cast<std::size_t>(num_weights_);
    RankStatus status(weight_, weights);
    const std::span<double> tail = std::span(buffer_).subspan(size + 1);
    status.run([&] {
      const Span span(timeline_, "compute", Row::kCompute, num_evaluations_);
      poll();
      buffer_[size] = parts_.empty() ? clear(size)
                                     : parts_.front()->value_and_gradient(
                                           weights.data(), buffer_.data());
    });
    if (status.has_failed()) buffer_[size] = clear(size);
    status.write(tail);
    sum(buffer_);
    check(status, tail);
    std::copy_n(buffer_.begin(), size, gradient.data());
    return buffer_[size];
  }

  void sum(std::span<double> numbers) {
    const Span wait(timeline_, "wait", Row::kCompute, num_evaluations_);
    const Span span(timeline_, "sum", Row::kSend, num_evaluations_,
                    numbers.size_bytes());
    allreduce_.sum(numbers);
  }

  double clear(std::size_t size) {
    std::fill_n(buffer_.begin(), size, 0.0);
    return 0.0;
  }

  /// Where a number does not fit, which training hardly ever meets, all ranks add
  /// again at another scale.
  double sum_exactly(const Vector& weights, Vector& gradient) {
    RankStatus status(weight_, weights);
    double scale = 1.0;
    do {
      sums_.clear(scale);
      status.run([&] {
        const Span span(timeline_, "compute", Row::kCompute, num_evaluations_);
        poll();
        status.set_misfit(!add_parts(weights));
      });
      status.write(sums_.plain());
      sum(sums_.numbers());
      check(status, sums_.plain());
      scale *= distributed::ExactSum::kGrowth;
    } while (RankStatus::has_misfit(sums_.plain()));
    sums_.read(0, gradient.data(), num_weights_);
    double value = 0.0;
    sums_.read(num_weights_, &value, 1);
    return value;
  }

  /// Adds the leaves of all parts; false where a number does not fit.
  bool add_parts(const Vector& weights) {
    double largest = 0.0;
    for (const auto& part : parts_) {
      part->evaluate_leaves(weights.data(), gradient_.data());
      largest = std::max(largest, add_leaves(*part));
    }
    return distributed::ExactSum::fits(largest);
  }

  /// \return the largest magnitude, in scales
  double add_leaves(TrainingObjective& part) {
    const Index num_ranges = (num_weights_ + kRangeSize - 1) / kRangeSize;
    std::vector<double> largest(static_cast<std::size_t>(num_ranges) + 1, 0.0);
    part.pool().parallel_for(num_ranges, [&](Index range, int) {
      const Index first = range * kRangeSize;
      const Index count = std::min(kRangeSize, num_weights_ - first);
      double& here = largest[static_cast<std::size_t>(range)];
      for (Index leaf = 0; leaf < part.num_leaves(); ++leaf) {
        const double* const gradient =
            part.leaf_gradient(leaf, gradient_.data());
        here = std::max(here, sums_.add(first, gradient + first, count));
      }
    });
    for (Index leaf = 0; leaf < part.num_leaves(); ++leaf) {
      const double objective = part.leaf_objective(leaf);
      largest.back() =
          std::max(largest.back(), sums_.add(num_weights_, &objective, 1));
    }
    return *std::max_element(largest.begin(), largest.end());
  }

  void check(const RankStatus& status, std::span<const double> sums) {
    status.check(sums, allreduce_, num_evaluations_);
    const double weight = RankStatus::total_weight(sums);
    if (std::abs(weight - 1.0) <= kWeightTolerance) return;
    throw CommunicationError(
        "the instances of all ranks must weigh 1 together; "
        "got " +
        format_double(weight) + " in evaluation " +
        std::to_string(num_evaluations_));
  }

  void poll() const {
    const bool is_stopping = is_stopping_ && *is_stopping_;
    if (is_stopping || is_stop_requested_) throw optim::Interrupted();
  }

  static constexpr Index kRangeSize = 2048;

  /// Far above what rounding does to 2^32 weights, far below one instance.
  static constexpr double kWeightTolerance = 1e-10;

  distributed::Allreduce& allreduce_;
  Parts parts_;
  Index num_weights_;
  double weight_;
  bool is_exact_;
  const std::atomic<bool>* is_stopping_;
  distributed::Timeline* timeline_;
  std::atomic<bool> is_stop_requested_{false};
  std::int64_t num_evaluations_ = 0;
  Vector gradient_;             // of a first leaf   [num_weights], exact only
  distributed::ExactSum sums_;  // gradient, objective
  std::vector<double> buffer_;  // gradient, objective, status; unless exact
};

static_assert(optim::Objective<DistributedObjective>);

}  // namespace mlp
