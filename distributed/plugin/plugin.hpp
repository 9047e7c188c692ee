// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "../../core/plugin/plugin_text.hpp"

namespace mlp::distributed {

/// The version of this interface. Add one after any change below.
inline constexpr int kPluginVersion = 4;

/// The exit code with which a plugin ends a process that cannot continue.
inline constexpr int kPluginLostExitCode = 7;

/// The types of numbers that can be added.
enum class PluginNumber : int { kDouble, kFloat, kFloat16, kBfloat16 };

/// One rank's text, in memory of the side that returns it.
struct PluginPiece {
  const char* text;
  std::size_t size;
};

/// The kind of failure of a call.
enum class PluginCause : int {
  kConnection,  ///< a rank or a connection
  kParam,       ///< an argument is wrong
  kRendezvous   ///< the rendezvous failed; the program knows the reason
};

/// The reason why a call failed.
struct PluginFailure {
  PluginCause cause;
  int rank;             ///< that caused it; -1 if it is not known
  char sentence[4096];  ///< without the rank
};

/// The arguments that the program passes to a plugin. They must outlive the group.
struct PluginHost {
  double
      deadline_seconds;    ///< for each call; MPI accepts infinity: no deadline
  double connect_seconds;  ///< to connect all ranks; MPI has no use for it
  double step_seconds;     ///< GlooOptions::step_seconds; MPI does not use it
  const char* address;     ///< numeric address to listen at; never null

  /// The secret of this group: [secret_size] bytes; MPI does not use it. It must
  /// not be sent over the network.
  const char* secret;
  std::size_t secret_size;

  // The rendezvous of the ranks; MPI does not use it.
  int rank;
  int world_size;
  void* object;  ///< the first argument of both functions

  /// Gives every rank the texts of all: [world_size], valid until the next call.
  /// Returns 0, or another number if the rendezvous failed: open() then fails,
  /// and the program knows the reason.
  int (*all_gather)(void* object, const char* text, std::size_t size,
                    const PluginPiece** pieces);

  /// Called with the reason before the process ends, from any thread and at
  /// most once. It must return, must not throw and must not call the group.
  void (*on_lost)(void* object, const char* sentence);
};

/// A group of ranks. Each plugin defines its own.
struct PluginGroup;

/// The functions of a plugin, as load_plugin_file() wants them.
///
/// The functions that return int return 0, or fill the failure and return
/// something else.
struct Plugin {
  /// Stays the first member in all versions; kPluginVersion.
  int version;

  /// Writes a description of the library that sends the numbers. May be called
  /// before open().
  void (*describe)(PluginText text);

  /// Connects this rank to the others.
  int (*open)(const PluginHost* host, PluginGroup** group,
              PluginFailure* failure);

  int (*rank)(const PluginGroup* group);
  int (*world_size)(const PluginGroup* group);

  /// The address that this rank listens at; "" if it is not known.
  const char* (*address)(const PluginGroup* group);

  /// Adds each number over all ranks, in place.
  int (*sum)(PluginGroup* group, PluginNumber kind, void* numbers,
             std::size_t count, PluginFailure* failure);

  /// Gives every rank the texts of all: [world_size], valid until the next call.
  /// If it is null, the program uses sums instead.
  int (*all_gather)(PluginGroup* group, const char* text, std::size_t size,
                    const PluginPiece** pieces, PluginFailure* failure);

  /// Ends the group. Any thread may call it.
  void (*cancel)(PluginGroup* group, const char* sentence);

  /// Leaves the group and frees it.
  void (*close)(PluginGroup* group);
};

}  // namespace mlp::distributed
