// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "../../core/error.hpp"

namespace mlp::distributed {

/// Exchanges the first texts between processes that are not connected yet:
/// through a folder that all can reach, or through an engine (the allGather of
/// Spark's barrier tasks, MPI_Allgather).
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
  /// \throws CommunicationError naming the ranks that did not call it in time
  [[nodiscard]] virtual std::vector<std::string> all_gather(
      const std::string& text) = 0;

  /// Returns the address at which the other ranks can reach this one.
  ///
  /// \return numeric, or empty if it is not known
  [[nodiscard]] virtual std::string local_address() const { return ""; }
};

/// Refuses an invalid rank, world size or timeout.
///
/// \throws ParamError
inline void check_place(int rank, int world_size, double timeout_seconds) {
  if (world_size < 1) {
    throw ParamError("world size must be 1 or more; got " +
                     std::to_string(world_size));
  }
  if (rank < 0 || rank >= world_size) {
    throw ParamError("rank must be 0 .. " + std::to_string(world_size - 1) +
                     " for a world size of " + std::to_string(world_size) +
                     "; got " + std::to_string(rank));
  }
  if (!(timeout_seconds > 0.0) || !std::isfinite(timeout_seconds)) {
    throw ParamError("timeout in seconds must be above 0 and finite; got " +
                     std::to_string(timeout_seconds));
  }
}

/// Returns the longest time in which ranks that are started separately must join,
/// unless their user gives another: a minute for up to 64 ranks, and in proportion
/// for more.
inline double meeting_seconds(int world_size) {
  constexpr double kSeconds = 60.0;
  constexpr double kNumRanks = 64.0;
  return kSeconds * std::max(1.0, world_size / kNumRanks);
}

/// Formats ranks as "rank 3" or "ranks 1, 2, 5".
inline std::string list_ranks(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    text += (i == 0 ? " " : ", ") + std::to_string(ranks[i]);
  }
  return text;
}

/// Formats a number of seconds: 0.3, 60.
inline std::string seconds_text(double seconds) {
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace mlp::distributed
