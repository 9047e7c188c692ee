// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums over ranks that are connected by Gloo.

#include <memory>
#include <string>

#include "../allreduce.hpp"
#include "../plugin/load_plugin.hpp"
#include "../rendezvous/rendezvous.hpp"

namespace mlp::distributed {

/// How ranks are connected by Gloo.
struct GlooOptions {
  /// One sum takes no longer, the wait for the slowest rank included. Raise it
  /// where ranks may need more time than that between two sums.
  double deadline_seconds = 300;

  /// All ranks are connected within this time after they have met.
  double connect_seconds = 60;

  /// The numeric address of this machine that the others can reach. If it is
  /// empty, the rendezvous is asked; if that does not know it either, it is
  /// 127.0.0.1, which ranks on other machines cannot reach.
  std::string address;

  /// The plugin that knows Gloo; empty: libmlp_gloo.so in the program's folder,
  /// or in ../libexec/mlp beside it.
  std::string plugin_file;
};

/// Connects all ranks by TCP, each with each, and sums around a ring. Loads the
/// plugin if there are two ranks or more.
///
/// A rank that dies or leaves ends the group, and so does cancel(). The others
/// get a CommunicationError after about 50 ms, plus 10 ms for each rank on the
/// way around the ring. The error has the sentence and the rank to blame of the
/// rank that saw the loss first, if its last message still arrives. If a rank
/// hangs or a cable is cut, the error comes at the deadline; it blames a rank
/// that had not begun the sum, and otherwise none.
///
/// The connections carry numbers in clear, and each rank listens at a port for
/// each other rank until that rank has connected: the network must be a trusted
/// one. Memory: 2 MiB and 3 KiB for each rank, nothing per sum.
///
/// \param rendezvous  its all_gather() is called once, and nothing later
/// \pre   every rank sums equally many numbers of the same type: ranks that
///        differ wait for each other until the deadline
/// \throws ParamError for an address that is not numeric, or of no single
///         interface, and for times that are not above 0
/// \throws CommunicationError where the ranks do not meet or cannot connect, or
///         one on another machine listens at a loopback address
/// \throws NotCompiled where there is no plugin, naming the files looked for
/// \throws ResourceError where the plugin cannot be loaded, its Gloo is missing
///         for one, or is of another version
/// \source Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms
///         for clusters of workstations", section 3: the ring
[[nodiscard]] std::unique_ptr<Allreduce> make_gloo_allreduce(
    Rendezvous& rendezvous, const GlooOptions& options);

/// Loads the plugin and asks it whether it can work on this machine.
[[nodiscard]] PluginProbe probe_gloo(const std::string& plugin_file);

}  // namespace mlp::distributed
