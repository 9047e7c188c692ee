// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/console/shell_word.hpp"

#include <doctest/doctest.h>

namespace mlp::cli {

TEST_SUITE("cli/console/shell_word") {
  TEST_CASE("quotes what a shell would expand or divide") {
    CHECK(shell_word("a_b-1.csv") == "a_b-1.csv");
    CHECK(shell_word("?,NA") == "'?,NA'");
    CHECK(shell_word("a b") == "'a b'");
    CHECK(shell_word("it's") == "'it'\\''s'");
    CHECK(shell_word("") == "''");
  }
}

}  // namespace mlp::cli
