// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "gloo_allreduce.hpp"

#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "../identity.hpp"
#include "../plugin/plugin_allreduce.hpp"
#include "../rendezvous/rank_identity.hpp"

namespace mlp::distributed {

namespace {

constexpr PluginKind kGloo{
    "Gloo",          "libmlp_gloo.so",       "mlp_gloo_plugin",
    "MLP_WITH_GLOO", "Debian's libgloo-dev", false};

/// Does what may fail on this rank alone, and tells the others if it does.
const Plugin& prepare(Rendezvous& rendezvous, const GlooOptions& options) {
  try {
    const std::string address =
        options.address.empty() ? rendezvous.local_address() : options.address;
    if (!address.empty()) check_address(address);
    return load_plugin(kGloo, options.plugin_file);
  } catch (const std::exception& error) {
    excuse(rendezvous, error.what());
    throw;
  }
}

}  // namespace

std::unique_ptr<Allreduce> make_gloo_allreduce(Rendezvous& rendezvous,
                                               const GlooOptions& options) {
  if (rendezvous.world_size() == 1) return std::make_unique<Identity>();
  const Plugin& plugin = prepare(rendezvous, options);
  const std::string wanted =
      options.address.empty() ? rendezvous.local_address() : options.address;
  const std::vector<RankIdentity> identities =
      read_identities(rendezvous.all_gather(
          format_identity(identify_rank(rendezvous.rank(), wanted))));
  const auto own = static_cast<std::size_t>(rendezvous.rank());
  PluginOptions given;
  given.deadline_seconds = options.deadline_seconds;
  given.connect_seconds = options.connect_seconds;
  given.address = choose_addresses(identities).at(own);
  given.secret = identities.front().secret;
  given.rendezvous = &rendezvous;
  return std::make_unique<PluginAllreduce>(plugin, given);
}

PluginProbe probe_gloo(const std::string& plugin_file) {
  return probe_plugin(kGloo, plugin_file);
}

}  // namespace mlp::distributed
