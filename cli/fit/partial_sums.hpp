// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../../distributed/allreduce.hpp"

namespace mlp::cli {

/// The sums of some instances, for their scores.
template <typename Sums>
struct PartialSums {
  Sums sums;
  Index num_instances = 0;
  bool is_measured = false;  ///< false if the sums were left out
};

/// Returns the part of all ranks of a group, or of this rank only if there is
/// none. It is measured if that of each rank is.
template <typename Sums>
[[nodiscard]] PartialSums<Sums> unite(const PartialSums<Sums>& own,
                                      distributed::Allreduce* group) {
  if (!group) return own;
  PartialSums<Sums> united{{}, 0, true};
  for (const std::string& bytes :
       group->all_gather({reinterpret_cast<const char*>(&own), sizeof own})) {
    PartialSums<Sums> part;
    if (bytes.size() != sizeof part) {
      throw CommunicationError("the sums of a rank's scores must have " +
                               std::to_string(sizeof part) + " bytes; got " +
                               std::to_string(bytes.size()) +
                               "; run the same program on every rank");
    }
    std::memcpy(&part, bytes.data(), sizeof part);
    united.sums.add(part.sums);
    united.num_instances += part.num_instances;
    united.is_measured = united.is_measured && part.is_measured;
  }
  return united;
}

}  // namespace mlp::cli
