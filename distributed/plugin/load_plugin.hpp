// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../../core/plugin/plugin_file.hpp"
#include "plugin.hpp"

namespace mlp::distributed {

/// Whether a transport works on this machine.
struct PluginProbe {
  std::string refusal;  ///< why it does not work; empty if it works
  std::string
      description;  ///< the library that sends the numbers; empty if refused
};

/// Loads a plugin, which stays loaded.
///
/// \param file  as `given` in plugin_places()
/// \throws as load_plugin_file()
[[nodiscard]] const Plugin& load_plugin(const PluginKind& kind,
                                        const std::string& file);

/// Loads a plugin and describes the library that sends its numbers.
///
/// \throws nothing of load_plugin(): its sentence is the probe's refusal.
///         std::bad_alloc if memory runs out
[[nodiscard]] PluginProbe probe_plugin(const PluginKind& kind,
                                       const std::string& file);

}  // namespace mlp::distributed
