// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/plugin/plugin.hpp"

#include <doctest/doctest.h>

#include <type_traits>

namespace mlp::distributed {

TEST_SUITE("distributed/plugin/plugin") {
  TEST_CASE("has types of C alone") {
    CHECK(std::is_standard_layout_v<Plugin>);
    CHECK(std::is_trivial_v<Plugin>);
    CHECK(std::is_standard_layout_v<PluginHost>);
    CHECK(std::is_trivial_v<PluginHost>);
    CHECK(std::is_standard_layout_v<PluginFailure>);
    CHECK(std::is_trivial_v<PluginFailure>);
  }
}

}  // namespace mlp::distributed
