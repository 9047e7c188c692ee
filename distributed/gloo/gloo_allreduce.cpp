// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "gloo_allreduce.hpp"

#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../identity.hpp"
#include "../plugin/plugin_allreduce.hpp"
#include "../rendezvous/rank_identity.hpp"

namespace mlp::distributed {

namespace {

constexpr PluginKind kGloo{
    "Gloo",          "libmlp_gloo.so",       "mlp_gloo_plugin",
    "MLP_WITH_GLOO", "Debian's libgloo-dev", false};

/// Refuses a secret that ranks cannot use.
void check_secret(const GlooOptions& options) {
  if (options.secret.empty()) return;
  if (options.secret.size() != kSecretBytes) {
    throw ParamError("secret must have " + std::to_string(kSecretBytes) +
                     " bytes; got " + std::to_string(options.secret.size()));
  }
  if (options.address.empty()) {
    throw ParamError(
        "address must be given with a secret: the ranks do not tell each other "
        "their machines; got none");
  }
}

/// Does what may fail on this rank alone, and tells the others if it does.
const Plugin& prepare(Rendezvous& rendezvous, const GlooOptions& options) {
  try {
    check_secret(options);
    const std::string address =
        options.address.empty() ? rendezvous.local_address() : options.address;
    if (!address.empty()) check_address(address);
    return load_plugin(kGloo, options.plugin_file);
  } catch (const std::exception& error) {
    excuse(rendezvous, error.what());
    throw;
  }
}

/// Where a rank listens, and what only its group knows.
struct Place {
  std::string address;
  std::string secret;
};

Place find_place(Rendezvous& rendezvous, const GlooOptions& options) {
  if (!options.secret.empty()) return {options.address, options.secret};
  const std::string wanted =
      options.address.empty() ? rendezvous.local_address() : options.address;
  const std::vector<RankIdentity> identities =
      read_identities(rendezvous.all_gather(
          format_identity(identify_rank(rendezvous.rank(), wanted))));
  const auto own = static_cast<std::size_t>(rendezvous.rank());
  return {choose_addresses(identities).at(own), identities.front().secret};
}

}  // namespace

std::unique_ptr<Allreduce> make_gloo_allreduce(Rendezvous& rendezvous,
                                               const GlooOptions& options) {
  if (rendezvous.world_size() == 1) return std::make_unique<Identity>();
  const Plugin& plugin = prepare(rendezvous, options);
  const Place place = find_place(rendezvous, options);
  PluginOptions given;
  given.deadline_seconds = options.deadline_seconds;
  given.connect_seconds = options.connect_seconds;
  given.step_seconds = options.step_seconds;
  given.address = place.address;
  given.secret = place.secret;
  given.rendezvous = &rendezvous;
  return std::make_unique<PluginAllreduce>(plugin, given);
}

void require_gloo(const std::string& plugin_file) {
  static_cast<void>(load_plugin(kGloo, plugin_file));
}

PluginProbe probe_gloo(const std::string& plugin_file) {
  return probe_plugin(kGloo, plugin_file);
}

}  // namespace mlp::distributed
