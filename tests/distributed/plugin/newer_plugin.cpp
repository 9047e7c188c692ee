// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// A plugin of a later version of the interface.
#include "../../../distributed/plugin/plugin.hpp"

using mlp::distributed::kPluginVersion;
using mlp::distributed::Plugin;

namespace {

const Plugin* plugin_of_later_version() {
  static const Plugin plugin = [] {
    Plugin made{};
    made.version = kPluginVersion + 1;
    return made;
  }();
  return &plugin;
}

}  // namespace

extern "C" const Plugin* mlp_mpi_plugin() { return plugin_of_later_version(); }
extern "C" const Plugin* mlp_gloo_plugin() { return plugin_of_later_version(); }
