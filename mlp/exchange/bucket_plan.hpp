// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "../../core/types.hpp"
#include "../network/topology.hpp"

namespace mlp {

/// A range of the flat gradient that is summed in one call.
struct Bucket {
  Index first = 0;  ///< its first number in the gradient
  Index size = 0;

  /// The bucket is final when the gradients of this layer and of all behind it
  /// are.
  Index layer = 0;

  friend bool operator==(const Bucket&, const Bucket&) = default;
};

/// How a gradient is cut into buckets, in the order in which they are sent: from
/// its end, which is computed first, to its start.
///
/// The cuts depend only on the network and two sizes. No rank measures or asks
/// others what is ready, so ranks can never wait for different buckets.
///
/// \source Li et al. 2020, PyTorch Distributed: Experiences on Accelerating Data
///         Parallel Training, section 3.2.3 (buckets in the reverse order of the
///         layers, a first one that is smaller)
class BucketPlan {
 public:
  /// \param bucket_bytes  of a bucket at most; 0 makes one bucket of all
  /// \param number_bytes  of a number as it is sent, >= 1
  BucketPlan(const Topology& topology, Index bucket_bytes, Index number_bytes) {
    const Index num_weights = topology.num_weights();
    const Index largest = std::max<Index>(bucket_bytes / number_bytes, 1);
    if (bucket_bytes == 0 || num_weights <= largest) {
      buckets_.push_back({0, num_weights, 0});
      return;
    }
    Index limit = std::max<Index>(largest / kFirstShare, 1);
    Index layer = topology.num_layers() - 1;
    for (Index end = num_weights; end > 0; limit = largest) {
      const Index first = cut(topology, end, limit);
      while (topology.weight_offset(layer) > first) --layer;
      buckets_.push_back({first, end - first, layer});
      end = first;
    }
  }

  /// The buckets in the order of sending; each number of the gradient is in one.
  [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }

  /// How many numbers the largest bucket has.
  [[nodiscard]] Index max_size() const {
    return std::max_element(
               buckets_.begin(), buckets_.end(),
               [](const Bucket& a, const Bucket& b) { return a.size < b.size; })
        ->size;
  }

 private:
  /// How many times smaller the first bucket is, so that sending starts early.
  static constexpr Index kFirstShare = 4;

  /// The start of the bucket before end: the start of a layer if there is one in
  /// the farther half, so that no bucket waits for a layer for a few numbers.
  static Index cut(const Topology& topology, Index end, Index limit) {
    const Index first = std::max<Index>(end - limit, 0);
    for (Index k = 0; k < topology.num_layers(); ++k) {
      const Index start = topology.weight_offset(k);
      if (start >= first && start <= end - (limit + 1) / 2) return start;
    }
    return first;
  }

  std::vector<Bucket> buckets_;
};

}  // namespace mlp
