// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <string>
#include <vector>

#include "../../../core/types.hpp"
#include "../../../distributed/allreduce.hpp"

namespace mlp::python {

/// How a process joins its group.
struct RankOptions {
  int rank = 0;
  int size = 1;

  /// Gives every rank the bytes of all: exchange(bytes) returns bytes for each
  /// rank. It is called once.
  nanobind::object exchange;

  std::string address;      ///< numeric, that the other ranks can reach
  std::string secret;       ///< 32 random bytes, the same on all ranks
  std::string plugin_file;  ///< libmlp_gloo.so
  double timeout = 300.0;   ///< seconds that one sum may take
};

/// A rank of a group of processes that Gloo connects.
///
/// Thread safety: one thread at a time may sum; any thread may leave and close.
class Ranks {
 public:
  /// Connects to the other ranks. One rank alone exchanges nothing.
  ///
  /// \pre    the GIL is held; it is released while this rank waits
  /// \throws as distributed::make_gloo_allreduce(), and what exchange raises
  explicit Ranks(RankOptions options);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  /// The group, which stays alive as long as the result.
  ///
  /// \throws CommunicationError after close()
  [[nodiscard]] std::shared_ptr<distributed::Allreduce> group() const;

  /// Leaves the group. The other ranks get a CommunicationError if they sum once
  /// more.
  void close() { group_.reset(); }

 private:
  int rank_;
  int size_;
  std::shared_ptr<distributed::Allreduce> group_;
};

/// Returns the partitions of all ranks, in the order of the ranks.
///
/// \param own            partitions of this rank; empty for one partition
/// \param num_instances  of this rank
[[nodiscard]] std::vector<Index> gather_partition_sizes(
    const std::vector<Index>& own, Index num_instances,
    distributed::Allreduce& group);

}  // namespace mlp::python
