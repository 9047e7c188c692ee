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
  /// The longest time of one sum, including the wait for the slowest rank.
  /// Raise it if ranks may need more time than that between two sums.
  double deadline_seconds = 300;

  /// The longest time to connect all ranks, after they have found each other.
  double connect_seconds = 60;

  /// The numeric address of this machine that the others can reach. If it is
  /// empty, the address of the rendezvous is used, or if that is unknown,
  /// 127.0.0.1 if all ranks are on one machine and in one network namespace, and
  /// otherwise the address of the interface of the default route.
  std::string address;

  /// The secret of this group: 32 random bytes, the same on all ranks. If it is
  /// given, the ranks call all_gather() of the rendezvous once instead of twice,
  /// and address must be given too. If it is empty, rank 0 makes a secret and
  /// sends it through the rendezvous.
  std::string secret;

  /// The plugin that uses Gloo. If empty: libmlp_gloo.so in the program's
  /// folder, or in ../libexec/mlp relative to it.
  std::string plugin_file;

  /// The stated time of a step of a sum without its numbers, which chooses
  /// between the ring and halving; all ranks must have the same. With 0, all
  /// sums go around the ring.
  double step_seconds = 150e-6;
};

/// Connects each rank to at most log2 n + 3 others by TCP, and sums by recursive
/// halving, or around a ring if the numbers are many for the ranks. Loads the
/// plugin if there are two ranks or more.
///
/// The choice depends on the number of ranks, the bytes of the sum and
/// GlooOptions::step_seconds only, and so does the order of the additions.
///
/// The ranks call all_gather() of the rendezvous twice: with their identities, and
/// with the addresses at which they listen. A rank that cannot join reports this in
/// its text, and the others end at once. Without GlooOptions::secret, the first text
/// of rank 0 contains the secret of the group: 32 random bytes. On each connection
/// both sides prove that they know it before anything else is read, and neither
/// sends it. So every process that can read the texts of the rendezvous can join the
/// group, and all others are ignored. Numbers are neither encrypted nor protected
/// against changes. With GlooOptions::secret, the ranks call all_gather() once, with
/// their addresses.
///
/// A rank that dies or leaves ends the group; cancel() does the same. The others
/// get a CommunicationError after about 50 ms, plus at most 60 ms for each of the
/// log2 n ranks on the way to them. The error has the sentence of the rank that noticed the
/// loss first, if its last message arrives, and names the rank that was lost.
/// If a rank hangs or a cable is cut, the error comes at the deadline; it names
/// a rank that had not begun the sum, or none.
///
/// The connections are not encrypted, and each rank listens at one port until all
/// others have connected: use a trusted network only.
/// Memory: 3 MiB, and 3 KiB for each connection; nothing per sum.
///
/// \param rendezvous  not used later
/// \pre   every rank sums equally many numbers of the same type: ranks that
///        differ wait for each other until the deadline
/// \throws ParamError for an address that is not numeric or does not name a
///         single interface, for times that are not above 0, and for a secret
///         that has not 32 bytes or comes without an address
/// \throws CommunicationError if the ranks do not find each other or cannot
///         connect, or a rank cannot be reached from another machine: it listens
///         at a loopback address, or has no default route
/// \throws NotCompiled if there is no plugin, naming the files looked for
/// \throws ResourceError if the plugin cannot be loaded, for example without
///         its Gloo library, or has another version
/// \source Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms
///         for clusters of workstations", section 3: the ring
/// \source Rabenseifner 2004, "Optimization of collective reduction operations",
///         section 2: halving
[[nodiscard]] std::unique_ptr<Allreduce> make_gloo_allreduce(
    Rendezvous& rendezvous, const GlooOptions& options);

/// Loads the plugin, before ranks are started that would each fail for the same
/// reason.
///
/// \param plugin_file  empty for the plugin of this program
/// \throws NotCompiled if there is none; ResourceError if it cannot be loaded
void require_gloo(const std::string& plugin_file);

/// Loads the plugin and checks whether it works on this machine.
[[nodiscard]] PluginProbe probe_gloo(const std::string& plugin_file);

}  // namespace mlp::distributed
