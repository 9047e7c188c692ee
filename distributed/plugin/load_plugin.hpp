// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plugin.hpp"

namespace mlp::distributed {

/// A plugin that this library can load.
struct PluginKind {
  const char* name;          ///< of the library behind it, such as MPI
  const char* file;          ///< such as libmlp_mpi.so
  const char* symbol;        ///< the function that it exports
  const char* cmake_option;  ///< that builds it
  /// True if the library behind it looks for its own symbols in the whole
  /// process.
  bool is_global;
};

/// Whether a transport can work on this machine.
struct PluginProbe {
  std::string refusal;      ///< why it cannot; empty: it can
  std::string description;  ///< what carries the numbers; empty: refused
};

/// Loads a plugin, which stays loaded.
///
/// \param file  empty: kind.file in the program's folder, or in ../libexec/mlp
///              beside that folder
/// \throws NotCompiled if there is no such file, naming the files looked for
/// \throws ResourceError if it cannot be loaded, its library is missing for one,
///         is no plugin, or has another version
[[nodiscard]] const Plugin& load_plugin(const PluginKind& kind,
                                        const std::string& file);

/// Loads a plugin and asks it what carries its numbers.
[[nodiscard]] PluginProbe probe_plugin(const PluginKind& kind,
                                       const std::string& file);

}  // namespace mlp::distributed
