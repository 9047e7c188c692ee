// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "load_plugin.hpp"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <system_error>
#include <vector>

#include "../../core/error.hpp"

namespace mlp::distributed {

namespace {

/// Returns the plugin's absolute path, because dlopen looks for bare names in
/// other folders.
std::string find_file(const PluginKind& kind, const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::vector<fs::path> places{fs::absolute(given, ignored)};
  if (given.empty()) {
    const fs::path folder =
        fs::read_symlink("/proc/self/exe", ignored).parent_path();
    places = {folder / kind.file,
              folder.parent_path() / "libexec/mlp" / kind.file};
  }
  std::string missing;
  for (const fs::path& place : places) {
    if (fs::exists(place, ignored)) return place.string();
    missing += (missing.empty() ? "" : " or ") + place.string();
  }
  throw NotCompiled(
      std::string(kind.name) + " (there is no file " + missing + ")",
      kind.cmake_option, kind.packages);
}

void* open_file(const PluginKind& kind, const std::string& file) {
  const int scope = kind.is_global ? RTLD_GLOBAL : RTLD_LOCAL;
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | scope);
  if (handle != nullptr) return handle;
  const char* reason = ::dlerror();
  throw ResourceError(std::string(kind.name)
                          .append(" cannot be loaded: ")
                          .append(reason ? reason : file)
                          .append("; install the ")
                          .append(kind.name)
                          .append(" library that the plugin was built with, or "
                                  "build the plugin with the one installed "
                                  "here"));
}

}  // namespace

const Plugin& load_plugin(const PluginKind& kind, const std::string& file) {
  const std::string path = find_file(kind, file);
  void* handle = open_file(kind, path);
  const auto get = reinterpret_cast<GetPlugin>(::dlsym(handle, kind.symbol));
  if (get == nullptr) {
    ::dlclose(handle);
    throw ResourceError(path, std::string("must be a plugin of mlp; it lacks ")
                                  .append(kind.symbol)
                                  .append("; name ")
                                  .append(kind.file));
  }
  const Plugin& plugin = *get();
  if (plugin.version != kPluginVersion) {
    const std::string version = std::to_string(plugin.version);
    ::dlclose(handle);
    throw ResourceError(path, "must have version " +
                                  std::to_string(kPluginVersion) +
                                  " of the plugin's interface; it has " +
                                  version + "; build it with this program");
  }
  return plugin;
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
