// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "../../../distributed/gloo/gloo_allreduce.hpp"

namespace mlp::distributed {

/// Returns true, and reports that a test is skipped, if there is no plugin.
inline bool is_skipped() {
  const bool is_missing = std::string(MLP_GLOO_PLUGIN).empty();
  if (is_missing) MESSAGE("test skipped: this build has no plugin for Gloo");
  return is_missing;
}

inline GlooOptions options_of_build() {
  GlooOptions options;
  options.plugin_file = MLP_GLOO_PLUGIN;
  return options;
}

}  // namespace mlp::distributed
