// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "available_memory.hpp"

/// The memory that one of several processes on a machine may take.
namespace mlp {

/// The memory of one process, and whether the limit is its own.
struct MemoryShare {
  AvailableMemory left;

  /// True for `ulimit -v`, which each process has for itself.
  bool is_of_process = false;
};

/// Returns an equal part of what the machine and the control groups leave, or what
/// `ulimit -v` leaves to this process if that is less.
///
/// \param num_processes  > 0; that need memory at the same time
/// \cost as available_memory()
[[nodiscard]] inline MemoryShare memory_share(int num_processes,
                                              const MemoryFiles& files = {}) {
  MemoryShare share{available_memory(files)};
  const double own = memory_of_address_space(files);
  share.is_of_process = own <= share.left.bytes && std::isfinite(own);
  // A limit of each process is divided already.
  if (share.is_of_process) return share;
  share.left.bytes = std::min(share.left.bytes / num_processes, own);
  return share;
}

}  // namespace mlp
