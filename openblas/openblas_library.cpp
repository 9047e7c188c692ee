// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "openblas_library.hpp"

#include <dlfcn.h>

#include "../core/error.hpp"

namespace mlp::openblas {

namespace {

/// Closes a library that cannot be used and throws.
[[noreturn]] void refuse(void* handle, const std::string& name,
                         const std::string& sentence) {
  ::dlclose(handle);
  throw ResourceError(name, sentence +
                                "; install OpenBLAS, for example Debian's "
                                "package libopenblas0-pthread");
}

/// Looks up a function of the library.
template <typename Function>
void find(void* handle, const std::string& name, const char* symbol,
          Function& function) {
  void* address = ::dlsym(handle, symbol);
  if (address == nullptr) {
    refuse(handle, name, std::string("is not OpenBLAS: it lacks ") + symbol);
  }
  function = reinterpret_cast<Function>(address);
}

}  // namespace

Library::Library(const std::string& name) {
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    throw ResourceError(
        std::string("OpenBLAS cannot be loaded: ")
            .append(reason ? reason : name)
            .append("; install it, for example Debian's package "
                    "libopenblas0-pthread, or use another backend"));
  }
  void (*set_num_threads)(int) = nullptr;
  find(handle, name, "cblas_dgemm", dgemm_);
  find(handle, name, "cblas_sgemm", sgemm_);
  find(handle, name, "openblas_set_num_threads", set_num_threads);
  find(handle, name, "openblas_get_corename", get_core_name_);
  find(handle, name, "openblas_get_config", get_config_);
  if (config().find("USE64BITINT") != std::string::npos) {
    refuse(handle, name, "must use 32-bit integers; it uses 64-bit integers");
  }
  set_num_threads(1);
}

const Library& library() {
  static const Library opened;
  return opened;
}

}  // namespace mlp::openblas
