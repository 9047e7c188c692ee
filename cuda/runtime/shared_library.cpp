// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "shared_library.hpp"

#include <dlfcn.h>

#include <utility>

#include "../../core/error.hpp"

namespace mlp::cuda {

SharedLibrary::SharedLibrary(std::string title,
                             const std::vector<std::string>& files,
                             std::string advice)
    : title_(std::move(title)), advice_(std::move(advice)) {
  std::string reason;
  for (const std::string& file : files) {
    handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    file_ = file;
    if (handle_ != nullptr) return;
    const char* text = ::dlerror();
    if (reason.empty()) reason = text ? text : file;
  }
  throw ResourceError(title_ + " cannot be loaded: " + reason + "; " + advice_);
}

void* SharedLibrary::address(const char* symbol) const {
  void* found = ::dlsym(handle_, symbol);
  if (found != nullptr) return found;
  throw ResourceError(file_, "is not " + title_ + ", or too old: it lacks " +
                                 symbol + "; " + advice_);
}

}  // namespace mlp::cuda
