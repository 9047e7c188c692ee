// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../core/plugin/plugin_text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace mlp {

TEST_SUITE("core/plugin/plugin_text") {
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
}

}  // namespace mlp
