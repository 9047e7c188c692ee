// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace mlp::distributed {

/// The version of this interface. Whoever changes anything below adds one.
inline constexpr int kMpiPluginVersion = 1;

/// The one symbol that a plugin exports: a GetMpiPlugin.
inline constexpr const char* kMpiPluginSymbol = "mlp_mpi_plugin";

/// What the plugin leaves with, through MPI_Abort, where a rank is lost.
inline constexpr int kMpiLostExitCode = 7;

/// The kinds of numbers that can be added.
enum class MpiNumber : int { kDouble, kFloat, kFloat16, kBfloat16 };

/// Where a plugin writes a sentence: cut to the capacity, ended by a zero.
struct MpiText {
  char* text;
  std::size_t capacity;
};

/// What the program gives to a plugin.
struct MpiHost {
  double deadline_seconds;  ///< for each call; infinite: no deadline
  void* object;             ///< the first argument of on_lost

  /// Is told, from any thread and at most once, why the process is about to
  /// end. It must return, must not throw and must not call the group.
  void (*on_lost)(void* object, const char* sentence);
};

/// A group of ranks: the plugin's own.
struct MpiGroup;

/// One rank's text, within memory of the group.
struct MpiPiece {
  const char* text;
  std::size_t size;
};

/// The functions of a plugin: C alone, so that a site can build the plugin with
/// its own MPI and compiler, away from the program that loads it.
///
/// open() and all_gather() return 0, or write a sentence to `error` and return
/// something else. Where a rank is lost no function returns: the process ends.
struct MpiPlugin {
  /// Stays the first member in all versions; kMpiPluginVersion.
  int version;

  /// Writes what the MPI library says of itself. May be called before MPI began.
  void (*describe)(MpiText text);

  /// Begins MPI where it has not begun, and makes a group of all its ranks.
  int (*open)(const MpiHost* host, MpiGroup** group, MpiText error);

  int (*rank)(const MpiGroup* group);
  int (*world_size)(const MpiGroup* group);

  /// Adds each number over all ranks, in place.
  void (*sum)(MpiGroup* group, MpiNumber kind, void* numbers,
              std::size_t count);

  /// Gives every rank the texts of all: [world_size], valid until the next call.
  int (*all_gather)(MpiGroup* group, const char* text, std::size_t size,
                    const MpiPiece** pieces, MpiText error);

  /// Ends all ranks of the job with kMpiLostExitCode, after on_lost; returns
  /// where the job is about to end already. Any thread may call it.
  void (*cancel)(MpiGroup* group, const char* sentence);

  /// Waits for all ranks, frees the group, and ends MPI where it began it.
  void (*close)(MpiGroup* group);
};

/// Returns the plugin's functions, which stay valid.
using GetMpiPlugin = const MpiPlugin* (*)();

}  // namespace mlp::distributed
