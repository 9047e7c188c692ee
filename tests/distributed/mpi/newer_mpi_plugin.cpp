// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// A plugin of a version to come: of what it has, only the number is known.
#include "../../../distributed/mpi/mpi_plugin.hpp"

using mlp::distributed::kMpiPluginVersion;
using mlp::distributed::MpiPlugin;

extern "C" const MpiPlugin* mlp_mpi_plugin() {
  static const MpiPlugin plugin = [] {
    MpiPlugin made{};
    made.version = kMpiPluginVersion + 1;
    return made;
  }();
  return &plugin;
}
