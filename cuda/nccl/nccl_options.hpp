// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mlp::cuda {

/// How ranks are connected by NCCL.
struct NcclOptions {
  /// The longest time of one wait, including that for the slowest rank.
  double deadline_seconds = 300.0;

  /// The longest time to connect all ranks, after they have found each other.
  double connect_seconds = 60.0;

  /// The numeric address of this machine that the others can reach, for the
  /// connections that notice lost ranks. Empty: chosen as for Gloo. NCCL finds
  /// the addresses for its own connections by itself.
  std::string address;

  /// The index of the device of this rank; -1 for the rank modulo the number of
  /// devices.
  int device = -1;
};

}  // namespace mlp::cuda
