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

/// How a training is spread over workers: each has a part of the instances, in
/// the order of the ranks, and all end with the same model.
struct Distribution {
  /// The group of the workers; null trains alone.
  distributed::Allreduce* allreduce = nullptr;

  /// Instances per Spark partition of all parts together; empty means one
  /// partition. Those of the data are not asked then.
  std::vector<Index> partition_sizes;

  /// The same bits for any number of ranks, one included, where the parts are cut
  /// at the bounds of Leaves. It sends three times the bytes.
  bool is_reproducible = false;

  /// How several ranks exchange the gradients of mini-batches. A reproducible
  /// training sends each whole, and as it is.
  ExchangePlan plan;

  /// Tries plans in the first steps of a training by mini-batches, and keeps the
  /// fastest. Every step counts as any other; a fixed plan has the same bits in
  /// each run, a chosen one need not.
  bool is_autotuned = false;

  /// Lets is_autotuned choose WireType::kBfloat16.
  bool may_round_gradients = false;

  /// Called on every rank with the plan that is_autotuned chose; may be empty. Not
  /// called where the training ends before, or has one rank.
  std::function<void(const ExchangePlan&)> on_plan;

  /// Where this rank's computing, sending and waiting is recorded; may be null.
  distributed::Timeline* timeline = nullptr;
};

/// Refuses what contradicts itself.
///
/// \throws ParamError for a plan, or the choice of one, that a reproducible
///         training cannot have
inline void check_distribution(const Distribution& distribution) {
  if (!distribution.is_reproducible) return;
  if (distribution.is_autotuned) {
    throw ParamError(
        "autotune must be off with reproducible, whose bits must not depend on "
        "measured times; got both; leave one of them out");
  }
  if (distribution.plan.wire != WireType::kAsComputed) {
    throw ParamError(
        "wire must be asComputed with reproducible, which sends exact sums; "
        "got " +
        std::string(name_of(distribution.plan.wire)));
  }
}

}  // namespace mlp
