// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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
#include "../../optim/stop_request.hpp"
#include "../exchange/distribution.hpp"
#include "../exchange/rank_status.hpp"
#include "training_objective.hpp"

namespace mlp {

/// The objective that a full-batch solver minimises: the sum over all ranks of the
/// objectives of their instances, and its gradient.
///
/// If there are other ranks, an evaluation makes one sum over them, of gradient,
/// objective, weight and status together. All ranks get the same bits, and so
/// follow the same path.
class DistributedObjective {
 public:
  /// The objectives of this rank's instances. With exact sums each has
  /// consecutive slices of those of all ranks; otherwise there is one, or none
  /// without instances.
  using Parts = std::vector<std::unique_ptr<TrainingObjective>>;

  /// \param distribution  with a group, which must outlive this object, as stop must.
  ///                      If the rank is alone and the sums need not be exact, there
  ///                      is one part
  /// \param weight        of this rank's instances; the weights of all ranks sum to
  ///                      1
  /// \param stop          asks all ranks to stop
  DistributedObjective(const Distribution& distribution, Parts parts,
                       Index num_weights, double weight,
                       const optim::StopRequest& stop)
      : allreduce_(*distribution.allreduce),
        timeline_(distribution.timeline),
        summation_(summation_of(distribution)),
        parts_(std::move(parts)),
        num_weights_(num_weights),
        weight_(weight),
        stop_(stop),
        sums_(0) {
    const auto size = static_cast<std::size_t>(num_weights) + 1;
    if (summation_ == Summation::kOverRanks) {
      buffer_.resize(size + RankStatus::kSize);
    } else if (summation_ == Summation::kExact) {
      gradient_.resize(num_weights);
      sums_ = distributed::ExactSum(num_weights + 1,
                                    static_cast<Index>(RankStatus::kSize));
    }
  }

  /// \param      weights   [num_weights]
  /// \param[out] gradient  [num_weights]
  /// \return f(weights), in nats
  /// \throws optim::Interrupted on all ranks if one asked to stop;
  ///         CommunicationError if one is lost or failed
  /// \cost   with Summation::kOwn that of TrainingObjective, no allocation
  double value_and_gradient(const Vector& weights, Vector& gradient) {
    ++num_evaluations_;
    allreduce_.announce("evaluation", num_evaluations_);
    switch (summation_) {
      case Summation::kOwn:
        return evaluate_own(weights, gradient.data());
      case Summation::kOverRanks:
        return sum_over_ranks(weights, gradient);
      case Summation::kExact:
        break;
    }
    return sum_exactly(weights, gradient);
  }

 private:
  using Row = distributed::Timeline::Row;
  using Span = distributed::TimelineSpan;

  /// Evaluates the one part of this rank, or none.
  double evaluate_own(const Vector& weights, double* gradient) {
    const Span span(timeline_, "compute", Row::kCompute, num_evaluations_);
    stop_.poll();
    if (!parts_.empty()) {
      return parts_.front()->value_and_gradient(weights.data(), gradient);
    }
    std::fill_n(gradient, num_weights_, 0.0);
    return 0.0;
  }

  double sum_over_ranks(const Vector& weights, Vector& gradient) {
    const auto size = static_cast<std::size_t>(num_weights_);
    RankStatus status(weight_, weights);
    const std::span<double> tail = std::span(buffer_).subspan(size + 1);
    status.run([&] { buffer_[size] = evaluate_own(weights, buffer_.data()); });
    if (status.has_failed()) std::fill_n(buffer_.begin(), size + 1, 0.0);
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

  /// If a number does not fit, which is rare in training, all ranks add again at
  /// another scale.
  double sum_exactly(const Vector& weights, Vector& gradient) {
    RankStatus status(weight_, weights);
    double scale = 1.0;
    do {
      sums_.clear(scale);
      status.run([&] {
        const Span span(timeline_, "compute", Row::kCompute, num_evaluations_);
        stop_.poll();
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

  /// Adds the slices of all parts; false if a number does not fit.
  bool add_parts(const Vector& weights) {
    double largest = 0.0;
    for (const auto& part : parts_) {
      part->evaluate_slices(weights.data(), gradient_.data());
      largest = std::max(largest, add_slices(*part));
    }
    return distributed::ExactSum::fits(largest);
  }

  /// \return the largest magnitude, in scales
  double add_slices(TrainingObjective& part) {
    const Index num_ranges = (num_weights_ + kRangeSize - 1) / kRangeSize;
    std::vector<double> largest(static_cast<std::size_t>(num_ranges) + 1, 0.0);
    part.pool().parallel_for(num_ranges, [&](Index range, int) {
      const Index first = range * kRangeSize;
      const Index count = std::min(kRangeSize, num_weights_ - first);
      double& here = largest[static_cast<std::size_t>(range)];
      for (Index slice = 0; slice < part.num_slices(); ++slice) {
        const double* const gradient =
            part.slice_gradient(slice, gradient_.data());
        here = std::max(here, sums_.add(first, gradient + first, count));
      }
    });
    for (Index slice = 0; slice < part.num_slices(); ++slice) {
      const double objective = part.slice_objective(slice);
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
        "the weights of the instances of all ranks must sum to 1; got " +
        format_double(weight) + " in evaluation " +
        std::to_string(num_evaluations_));
  }

  static constexpr Index kRangeSize = 2048;

  /// Far above what rounding does to 2^32 weights, far below one instance.
  static constexpr double kWeightTolerance = 1e-10;

  distributed::Allreduce& allreduce_;
  distributed::Timeline* timeline_;
  Summation summation_;
  Parts parts_;
  Index num_weights_;
  double weight_;
  const optim::StopRequest& stop_;
  std::int64_t num_evaluations_ = 0;

  // With Summation::kOverRanks only:
  std::vector<double> buffer_;  // gradient, objective, status

  // With Summation::kExact only:
  Vector gradient_;             // of the first slice of a part   [num_weights]
  distributed::ExactSum sums_;  // gradient, objective, status
};

static_assert(optim::Objective<DistributedObjective>);

}  // namespace mlp
