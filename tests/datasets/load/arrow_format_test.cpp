// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/arrow_format.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mlp::datasets {

TEST_SUITE("datasets/load/arrow_format") {
  TEST_CASE("files are known by how they begin") {
    using detail::find_arrow_format;
    CHECK(find_arrow_format("PAR1\x15") == &detail::kParquet);
    CHECK(find_arrow_format(std::string("ARROW1\0\0", 8)) == &detail::kArrow);
    CHECK(find_arrow_format("PAR") == nullptr);
    CHECK(find_arrow_format("a,b\n") == nullptr);
  }
}

}  // namespace mlp::datasets
