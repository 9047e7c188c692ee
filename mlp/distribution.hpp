// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../core/types.hpp"
#include "../distributed/allreduce.hpp"

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
};

}  // namespace mlp
