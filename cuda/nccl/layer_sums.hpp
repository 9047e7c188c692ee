// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "../../core/index.hpp"
#include "../../distributed/device_allreduce.hpp"
#include "../../mlp/exchange/bucket_plan.hpp"
#include "../../mlp/network/topology.hpp"
#include "../runtime/stream.hpp"

namespace mlp::cuda {

/// Sums the gradient of an evaluation over all ranks, the late layers while the
/// early ones are still computed.
///
/// The sums are work of a stream of their own, which waits by events for the
/// layers that it sums. Everything between begin() and finish() can be captured
/// in a graph. For one rank nothing is added to any stream.
///
/// \tparam Number  double or float: the type of the gradient
template <typename Number>
class LayerSums {
 public:
  /// The default of bucket_bytes: large enough for the throughput of a device's
  /// connections. A smaller gradient is one sum.
  static constexpr Index kBucketBytes = Index{4} << 20;

  /// \param group         must outlive this object
  /// \param bucket_bytes  sums have about so many bytes; 0 for one sum
  LayerSums(distributed::DeviceAllreduce& group, const Topology& topology,
            Index bucket_bytes = kBucketBytes);

  /// Begins the sums of one evaluation.
  ///
  /// \param stream    of the evaluation; must exist until finish()
  /// \param gradient  on the device   [num_weights]
  /// \return the function that the evaluation calls for each layer, until finish(); null for
  ///         one rank
  [[nodiscard]] std::function<void(Index layer)> begin(const Stream& stream,
                                                       Number* gradient);

  /// Adds the sums that are left, and lets the stream of the evaluation wait for
  /// all of them.
  ///
  /// The tail has the numbers that belong to the evaluation as a whole, such as
  /// the objective, the sum of weights, and flags that stop all ranks. If it lies
  /// directly before the gradient and has its type, it is part of the gradient's
  /// last sum, so that the evaluation of a small network needs one sum only.
  ///
  /// \param[in,out] tail  final behind the work that the stream has now; on the
  ///                      device   [tail_size]
  void finish(double* tail, Index tail_size);

 private:
  void add_buckets(std::size_t end);

  distributed::DeviceAllreduce& group_;
  std::vector<Bucket> buckets_;  ///< in the order of their sums
  Stream sums_;
  Event computed_;
  Event summed_;

  // Of the evaluation that has begun:
  const Stream* stream_ = nullptr;
  Number* gradient_ = nullptr;
  std::size_t next_ = 0;  ///< bucket
};

}  // namespace mlp::cuda
