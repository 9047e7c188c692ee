// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../../mlp/exchange/exchange_plan.hpp"
#include "../flags/command_line.hpp"
#include "../flags/flag_values.hpp"

namespace mlp::cli {

/// The values of the flags about ranks.
struct RankOptions {
  Transport transport = Transport::kNone;  ///< kNone: one rank
  int num_ranks = 1;                       ///< on this machine
  std::string rendezvous;                  ///< a folder; empty: none
  std::string address;                     ///< of this machine; empty: chosen
  int rank = 0;                            ///< with a rendezvous
  int world_size = 1;                      ///< with a rendezvous
  bool is_reproducible = false;
  double timeout_seconds = 300.0;  ///< of each call
  int device = -1;  ///< that --device names, for NCCL; -1: chosen by the rank
  ExchangePlan plan;
  bool is_autotuned = false;
  std::string timeline_file;  ///< empty: none

  /// This process starts the others and does not train itself.
  bool is_launcher = false;
};

/// Reads the flags about ranks. If an MPI launcher started this process and no
/// flag is given, the process is a rank of the MPI job.
///
/// \throws ParamError naming the flag
[[nodiscard]] RankOptions read_rank_options(const CommandLine& line);

/// Replaces {rank} in the name of a file by a rank.
[[nodiscard]] std::string file_of_rank(const std::string& file, int rank);

/// Returns true if a name contains {rank}: each rank then has its own file.
[[nodiscard]] bool has_rank(const std::string& file);

}  // namespace mlp::cli
