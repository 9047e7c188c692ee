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

/// Options of a group of MPI ranks.
struct MpiOptions {
  /// The plugin that uses MPI. If empty: libmlp_mpi.so in the program's folder,
  /// or in ../libexec/mlp relative to it.
  std::string plugin_file;

  /// The longest time of a call on each rank. It must be longer than the
  /// differences between the ranks' computing times between two calls. If it is
  /// infinite, a lost rank is waited for without end. Ranks have at least a
  /// minute to start.
  double deadline_seconds = 300.0;

  /// Called with the reason before the process ends: by the thread that watches
  /// the deadline, while the training thread is inside a call, or by the thread
  /// that called cancel(). It may save data; it must return, and must not call
  /// the group. Other ranks have about a second after that.
  std::function<void(const std::string&)> on_lost;
};

/// Joins the ranks of the MPI job of this process. A process without an MPI
/// launcher is a job with one rank.
///
/// Loads the plugin, and initializes MPI if necessary. MPI is then finalized
/// with the last group, after which the process cannot make another group. All
/// ranks must destroy their groups in the same order.
///
/// A lost or late rank does not lead to an exception, because a call of MPI
/// cannot be interrupted: on_lost is called, and MPI_Abort ends all ranks with
/// exit code 7. cancel() does the same; a rank that fails calls it.
///
/// MPI_Allreduce may choose its order of additions by the size of the array and
/// the number of ranks; with both unchanged, on the same machines and MPI, a
/// run has the same bits each time. Halves are rounded after each addition.
///
/// Thread safety: one thread at a time, except for cancel().
///
/// \throws NotCompiled if there is no plugin, naming the files looked for
/// \throws ResourceError if the plugin cannot be loaded, for example without
///         its MPI library, or has another version
/// \throws CommunicationError if MPI is finalized already, or was initialized
///         by the process for one thread only
/// \throws ParamError if the deadline is not above 0
/// \source MPI: A Message-Passing Interface Standard 3.1 (2015), 5.9.6, 8.7, 12.4
[[nodiscard]] std::unique_ptr<Allreduce> make_mpi_allreduce(
    const MpiOptions& options);

/// Loads the plugin and describes its MPI by MPI's version text, without
/// initializing it.
[[nodiscard]] PluginProbe probe_mpi(const std::string& plugin_file);

}  // namespace mlp::distributed
