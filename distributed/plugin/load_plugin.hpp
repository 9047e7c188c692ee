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
  const char* packages;      ///< that building it needs
  /// True if the library behind it looks for its own symbols in the whole
  /// process.
  bool is_global;
};

/// Whether a transport works on this machine.
struct PluginProbe {
  std::string refusal;  ///< why it does not work; empty if it works
  std::string
      description;  ///< the library that sends the numbers; empty if refused
};

/// Loads a plugin, which stays loaded.
///
/// \param file  empty: kind.file in the program's folder, or in ../libexec/mlp
///              relative to that folder
/// \throws NotCompiled if there is no such file, naming the files looked for
/// \throws ResourceError if it cannot be loaded, for example without its
///         library, is not a plugin, or has another version. A file that is
///         not a plugin of this project runs its own code when it is loaded,
///         and may throw or end the process
[[nodiscard]] const Plugin& load_plugin(const PluginKind& kind,
                                        const std::string& file);

/// Loads a plugin and describes the library that sends its numbers.
///
/// \throws nothing of load_plugin(): its sentence is the probe's refusal.
///         std::bad_alloc if memory runs out
[[nodiscard]] PluginProbe probe_plugin(const PluginKind& kind,
                                       const std::string& file);

}  // namespace mlp::distributed
