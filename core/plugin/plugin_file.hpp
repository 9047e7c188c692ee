// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "../error.hpp"

/// Plugins: shared libraries that a program loads where it needs them.
namespace mlp {

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

/// Returns the places of a plugin, as absolute paths, because dlopen looks for bare
/// names in other folders.
///
/// \param given  empty: kind.file in the program's folder, or in ../libexec/mlp
///               relative to that folder
[[nodiscard]] inline std::vector<std::filesystem::path> plugin_places(
    const PluginKind& kind, const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!given.empty()) return {fs::absolute(given, ignored)};
  const fs::path folder =
      fs::read_symlink("/proc/self/exe", ignored).parent_path();
  return {folder / kind.file, folder.parent_path() / "libexec/mlp" / kind.file};
}

/// Returns "there is no file A or B", with the places of a plugin.
[[nodiscard]] inline std::string no_plugin_file(const PluginKind& kind,
                                                const std::string& given) {
  std::string places;
  for (const auto& place : plugin_places(kind, given)) {
    places += (places.empty() ? "" : " or ") + place.string();
  }
  return "there is no file " + places;
}

/// Loads a plugin, which stays loaded if it is one.
///
/// \tparam Functions  what the function that it exports returns the address of. Only C
///                    types cross this interface and no exception does: a plugin may be
///                    built by another compiler, with another C++ library. The first
///                    member is int version, in all versions
/// \param given       as in plugin_places()
/// \param version     that the plugin must have
/// \throws NotCompiled if there is no such file, naming the files looked for
/// \throws ResourceError if it cannot be loaded, for example without its
///         library, is not a plugin, or has another version. A file that is not a plugin
///         of this project runs its own code when it is loaded, and may throw or end
///         the process
template <typename Functions>
[[nodiscard]] const Functions& load_plugin_file(const PluginKind& kind,
                                                const std::string& given,
                                                int version) {
  std::error_code ignored;
  std::string path;
  for (const auto& place : plugin_places(kind, given)) {
    if (!std::filesystem::exists(place, ignored)) continue;
    path = place.string();
    break;
  }
  if (path.empty()) {
    throw NotCompiled(
        std::string(kind.name) + " (" + no_plugin_file(kind, given) + ")",
        kind.cmake_option, kind.packages);
  }
  const int scope = kind.is_global ? RTLD_GLOBAL : RTLD_LOCAL;
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | scope);
  if (handle == nullptr) {
    const char* const reason = ::dlerror();
    throw ResourceError(std::string(kind.name)
                            .append(" cannot be loaded: ")
                            .append(reason ? reason : path)
                            .append("; install the ")
                            .append(kind.name)
                            .append(" library that the plugin was built with, "
                                    "or build the plugin with the one "
                                    "installed here"));
  }
  using Get = const Functions* (*)();
  const auto get = reinterpret_cast<Get>(::dlsym(handle, kind.symbol));
  if (get == nullptr) {
    ::dlclose(handle);
    throw ResourceError(path, std::string("must be a plugin of mlp; it lacks ")
                                  .append(kind.symbol)
                                  .append("; name ")
                                  .append(kind.file));
  }
  const Functions& functions = *get();
  if (functions.version == version) return functions;
  const std::string other = std::to_string(functions.version);
  ::dlclose(handle);
  throw ResourceError(path, "must have version " + std::to_string(version) +
                                " of the plugin's interface; it has " + other +
                                "; build it with this program");
}

}  // namespace mlp
