// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/csv_quotes.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mlp::datasets {

TEST_SUITE("datasets/csv/csv_quotes") {
  TEST_CASE("doubles the quotes of a field") {
    std::string line = "a,";

    append_in_double_quotes(line, "say \"hi\"");
    append_in_double_quotes(line, "");

    CHECK(line == "a,\"say \"\"hi\"\"\"\"\"");
  }
}

}  // namespace mlp::datasets
