// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// A plugin of a later version, of which only the number is known.
#include "../../../distributed/plugin/plugin.hpp"

using mlp::distributed::kPluginVersion;
using mlp::distributed::Plugin;

extern "C" const Plugin* mlp_mpi_plugin() {
  static const Plugin plugin = [] {
    Plugin made{};
    made.version = kPluginVersion + 1;
    return made;
  }();
  return &plugin;
}

extern "C" const Plugin* mlp_gloo_plugin() { return mlp_mpi_plugin(); }
