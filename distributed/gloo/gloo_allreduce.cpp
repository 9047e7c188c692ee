// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "gloo_allreduce.hpp"

#include "../identity.hpp"
#include "../plugin/plugin_allreduce.hpp"

namespace mlp::distributed {

namespace {

constexpr PluginKind kGloo{"Gloo", "libmlp_gloo.so", "mlp_gloo_plugin",
                           "MLP_WITH_GLOO", false};

}  // namespace

std::unique_ptr<Allreduce> make_gloo_allreduce(Rendezvous& rendezvous,
                                               const GlooOptions& options) {
  if (rendezvous.world_size() == 1) return std::make_unique<Identity>();
  const Plugin& plugin = load_plugin(kGloo, options.plugin_file);
  PluginOptions given;
  given.deadline_seconds = options.deadline_seconds;
  given.connect_seconds = options.connect_seconds;
  given.address =
      options.address.empty() ? rendezvous.local_address() : options.address;
  if (given.address.empty()) given.address = "127.0.0.1";
  given.rendezvous = &rendezvous;
  return std::make_unique<PluginAllreduce>(plugin, given);
}

PluginProbe probe_gloo(const std::string& plugin_file) {
  return probe_plugin(kGloo, plugin_file);
}

}  // namespace mlp::distributed
