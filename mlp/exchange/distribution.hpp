// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../../distributed/allreduce.hpp"
#include "../../distributed/timeline.hpp"
#include "exchange_plan.hpp"

namespace mlp {

/// How a training is spread over ranks: each holds a partition of the instances, in
/// the order of the ranks, and all end with the same model.
struct Distribution {
  /// The group of the ranks; null is a group of one rank, which holds all
  /// instances, in the partitions of the data.
  distributed::Allreduce* allreduce = nullptr;

  /// Instances per Spark partition of the instances of all ranks; empty means one
  /// partition. The partitions of the data are used if there is no group.
  std::vector<Index> partition_sizes;

  /// The same bits for any number of ranks, one included, if the partitions are cut
  /// at the bounds of Slices. It sends three times the bytes.
  bool is_reproducible = false;

  /// How several ranks exchange the gradients of mini-batches. A reproducible
  /// training sends each as a whole, without rounding.
  ExchangePlan plan;

  /// Tries plans in the first steps of a training by mini-batches, and keeps the
  /// fastest. These steps train as any others do. A fixed plan has the same bits
  /// in each run; a chosen plan may not.
  bool is_autotuned = false;

  /// Lets is_autotuned choose WireType::kBfloat16.
  bool may_round_gradients = false;

  /// Called on every rank with the plan that is_autotuned chose; may be empty. It
  /// is not called if the training ends before, or has one rank.
  std::function<void(const ExchangePlan&)> on_plan;

  /// Where this rank's computing, sending and waiting is recorded; may be null.
  distributed::Timeline* timeline = nullptr;
};

/// How the sums of a training over the instances of all ranks are made.
enum class Summation {
  /// One rank holds all instances: its own sums are the result, and nothing is
  /// sent.
  kOwn,

  /// The ranks add their sums in the order of the transport: the bits depend on
  /// the number of ranks.
  kOverRanks,

  /// The ranks add slice by slice and without rounding (ExactSum): the bits do not
  /// depend on the number of ranks.
  kExact,
};

/// \pre distribution.allreduce is not null
[[nodiscard]] inline Summation summation_of(const Distribution& distribution) {
  if (distribution.is_reproducible) return Summation::kExact;
  return distribution.allreduce->world_size() == 1 ? Summation::kOwn
                                                   : Summation::kOverRanks;
}

/// Refuses options that contradict each other.
///
/// \throws ParamError for a plan, or the choice of one, that a reproducible
///         training cannot have
inline void check_distribution(const Distribution& distribution) {
  if (!distribution.is_reproducible) return;
  if (distribution.is_autotuned) {
    throw ParamError(
        "autotune must be off with reproducible, whose bits must not depend on "
        "measured times; got both; use only one of them");
  }
  if (distribution.plan.wire != WireType::kAsComputed) {
    throw ParamError(
        "wire must be asComputed with reproducible, which sends exact sums; "
        "got " +
        std::string(name_of(distribution.plan.wire)));
  }
}

}  // namespace mlp
