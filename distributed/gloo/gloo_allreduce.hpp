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

  /// The numeric address of this machine that the others can reach; where it is
  /// empty, what the rendezvous knows, and else 127.0.0.1, which ranks on other
  /// machines cannot reach.
  std::string address;

  /// The plugin that knows Gloo; empty: libmlp_gloo.so in the program's folder,
  /// or in ../libexec/mlp beside it.
  std::string plugin_file;
};

/// Connects all ranks by TCP, each with each, and sums around a ring.
///
/// The plugin is loaded, unless there is but one rank.
///
/// A rank that dies or leaves ends the group, and so does cancel(). The others
/// get a CommunicationError about 50 ms later, and some 10 ms for each rank on
/// the way around the ring; it has the sentence, and blames the rank, of who
/// saw it first, as far as its last word still arrives. A rank that hangs, or a
/// cable that is cut, shows at the deadline, and is blamed where it had not
/// begun the sum; else nobody is.
///
/// The connections carry numbers in clear, and each rank listens at a port for
/// each other rank until that one has called: the network must be one that is
/// trusted. Memory: 2 MiB and 3 KiB for each rank, nothing per sum.
///
/// \param rendezvous  of which one all_gather() is used, and nothing later
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
