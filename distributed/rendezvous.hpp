// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mlp::distributed {

/// Where workers that know nothing of each other meet, once: a folder that all
/// can reach, an address that all can call, or what an engine already has (the
/// allGather of Spark's barrier tasks, MPI_Allgather).
class Rendezvous {
 public:
  virtual ~Rendezvous() = default;

  /// 0 .. world_size() - 1
  [[nodiscard]] virtual int rank() const = 0;

  /// >= 1
  [[nodiscard]] virtual int world_size() const = 0;

  /// Gives every rank the texts of all. Each rank calls it equally often.
  ///
  /// \return [world_size()], by rank
  /// \throws CommunicationError naming the ranks that did not come in time
  [[nodiscard]] virtual std::vector<std::string> all_gather(
      const std::string& text) = 0;
};

}  // namespace mlp::distributed
