// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "load_plugin.hpp"

#include <array>
#include <string>

#include "../../core/error.hpp"
#include "../../core/plugin/plugin_file.hpp"

namespace mlp::distributed {

const Plugin& load_plugin(const PluginKind& kind, const std::string& file) {
  return load_plugin_file<Plugin>(kind, file, kPluginVersion);
}

PluginProbe probe_plugin(const PluginKind& kind, const std::string& file) {
  try {
    std::array<char, 4096> description{};
    load_plugin(kind, file).describe({description.data(), description.size()});
    return {"", description.data()};
  } catch (const Error& error) {
    return {error.what(), ""};
  }
}

}  // namespace mlp::distributed
