// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums over the ranks of an MPI job, by a plugin that is loaded on use.

#include <functional>
#include <memory>
#include <string>

#include "../allreduce.hpp"
#include "../plugin/load_plugin.hpp"

namespace mlp::distributed {

/// How a group of MPI's ranks is made.
struct MpiOptions {
  /// The plugin that knows MPI; empty: libmlp_mpi.so in the program's folder, or
  /// in ../libexec/mlp beside it.
  std::string plugin_file;

  /// Within which each call must end on each rank, so longer than ranks differ
  /// in what they compute between two calls; infinite: a lost rank is awaited
  /// for ever. To start, ranks have a minute where this is shorter.
  double deadline_seconds = 300.0;

  /// Is told why, before the process ends: by the thread that watches the
  /// deadline, while the thread that trains is inside a call, or by the one that
  /// called cancel(). It may write what should survive; it must return, and must
  /// not call the group. Other ranks have about a second from then on.
  std::function<void(const std::string&)> on_lost;
};

/// Joins the ranks of the MPI job that this process belongs to; a process that
/// none started is a job of its own.
///
/// The plugin is loaded, MPI begins where it has not begun, and then ends with
/// the last group: a process cannot begin a group after that. All ranks destroy
/// their groups alike.
///
/// A lost or late rank throws nothing, as a call of MPI cannot be left: on_lost
/// is told, and MPI_Abort ends all ranks with exit code 7. cancel() is the same
/// path, and the way out for a rank that fails by itself.
///
/// MPI_Allreduce may choose its order of additions by the size of the array and
/// the number of ranks; with the same of both, on the same machines and MPI, a
/// run has the same bits each time. Halves are rounded after each addition.
///
/// Thread safety: one thread at a time, but for cancel().
///
/// \throws NotCompiled where there is no plugin, naming the files looked for
/// \throws ResourceError where the plugin cannot be loaded, its MPI is missing
///         for one, or is of another version
/// \throws CommunicationError where MPI has ended already, or was begun by the
///         process for one thread only
/// \throws ParamError where the deadline is not above 0
/// \source MPI: A Message-Passing Interface Standard 3.1 (2015), 5.9.6, 8.7, 12.4
[[nodiscard]] std::unique_ptr<Allreduce> make_mpi_allreduce(
    const MpiOptions& options);

/// Loads the plugin and asks it for its MPI, which does not begin. The
/// description is what MPI says of itself.
[[nodiscard]] PluginProbe probe_mpi(const std::string& plugin_file);

}  // namespace mlp::distributed
