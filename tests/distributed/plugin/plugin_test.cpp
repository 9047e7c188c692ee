// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/plugin/plugin.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <type_traits>

namespace mlp::distributed {

TEST_SUITE("distributed/plugin/plugin") {
  TEST_CASE("ends a text with a zero and cuts it where it is too long") {
    std::array<char, 6> memory{'x', 'x', 'x', 'x', 'x', 'x'};

    write_text({memory.data(), 5}, "abc");
    CHECK(std::string(memory.data()) == "abc");
    write_text({memory.data(), 5}, "abcdefgh");
    CHECK(std::string(memory.data()) == "abcd");
    CHECK(memory[5] == 'x');
    write_text({memory.data(), 0}, "zzz");
    CHECK(std::string(memory.data()) == "abcd");
  }

  TEST_CASE("cuts no character of UTF-8 in two") {
    std::array<char, 8> memory{};
    const auto cut = [&memory](std::size_t capacity) {
      write_text({memory.data(), capacity},
                 "a\xE2\x82\xAC"
                 "b");
      return std::string(memory.data());
    };

    CHECK(cut(2) == "a");
    CHECK(cut(3) == "a");
    CHECK(cut(4) == "a");
    CHECK(cut(5) == "a\xE2\x82\xAC");
    CHECK(cut(6) ==
          "a\xE2\x82\xAC"
          "b");
  }

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
