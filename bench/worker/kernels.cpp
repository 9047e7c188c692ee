// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "../../core/error.hpp"
#include "../../cpu/cpu_backend.hpp"

namespace mlp::bench {
namespace {

const Backend*& chosen() {
  static const Backend* backend = &cpu::backend();
  return backend;
}

}  // namespace

const Backend& kernels() { return *chosen(); }

void choose_kernels(const std::string& name) {
  std::string names;
  for (const Backend* backend : cpu::usable_backends()) {
    if (backend->name() == name) {
      chosen() = backend;
      return;
    }
    names.append(names.empty() ? "" : ", ").append(backend->name());
  }
  throw ParamError("--kernels must be one of " + names + "; got " + name);
}

}  // namespace mlp::bench
